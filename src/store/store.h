// The contract of the place where limits are counted: in this process (memory/) or in Redis (redis/).
//
// A store answers at once when it can, and otherwise later through a sink, never from inside the call:
// callers need one path for each, and no caller is re-entered. Every request ends exactly once. The operation
// that matters is the lease: tokens debited for requests that wait now (needs) and, on top, tokens to hold
// (extra).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "limiter/limit.h"

namespace sluice::store {

/// Counts the histories of a shard's data: it changes when a failover, a restart or a flush may have lost
/// writes. Tokens of an older generation are spent until they lapse, never given back.
using Generation = std::uint64_t;

/// `count` requests of `cost` tokens each, in arrival order.
struct Need {
  std::int64_t cost = 0;
  std::uint32_t count = 0;
};

struct LeaseRequest {
  std::string_view key;                   ///< ≤ rules::kMaxKeyBytes; copied if it must outlive the call
  const limiter::Limit* limit = nullptr;  ///< must live until the call returns
  std::span<const Need> needs;            ///< each request all or nothing, served first and in order
  std::int64_t extra = 0;  ///< wished for beyond the needs; the store gives at most an eighth of what is left
};

struct Grant {
  /// Debited for the needs. The requests served are those that a first-fit in order finds within this number:
  /// that is unique, so it need not be listed.
  std::int64_t granted_needs = 0;
  std::int64_t granted_extra = 0;
  std::int64_t remaining = 0;  ///< left in the store after this grant
  Duration retry_after{};      ///< for the first need that was not served; 0 if all were; kNever
  Duration reset_after{};      ///< until the key is full, 0 if it is
  std::optional<Duration>
      ends_after;  ///< until the window closes in which the tokens are good, from now; nothing: no window
  WallTime granted_at{};  ///< store time of the debit; goes back with GiveBack
  Generation generation = 0;
  std::uint64_t seq = 0;  ///< number of this debit in its shard's history
  /// Until when these very tokens may be given back by this process and still be used by it (see
  /// GiveBack::good_until). Only for tokens out of a lease that is held here.
  std::optional<Instant> good_until{};
};

/// Tokens that were granted and not used.
struct GiveBack {
  std::string_view key;
  const limiter::Limit* limit = nullptr;
  std::int64_t tokens = 0;
  /// From the grant. Nothing: a REFUND by the application, which does not know.
  std::optional<WallTime> granted_at;
  Generation generation = 0;  ///< ignored (nothing is given back) when it is not the present one; 0: a REFUND
  std::optional<Instant> good_until{};  ///< from the grant
};

/// Why a store did not answer with a grant.
enum class StoreError : std::uint8_t {
  full,         ///< a bound was reached; nothing was debited
  unavailable,  ///< nothing was debited
  unknown,      ///< a reply was lost: the debit may have happened and must be taken as spent
  foreign,      ///< the key holds something that is not Sluice's; nothing was debited
};

/// Who counts in a store together, as far as it knows.
struct Fleet {
  std::span<const std::string> members{};  ///< ids of those last seen alive, with our own; empty: nobody else
  std::string_view self{};                 ///< our own id
};

/// What became of a request: a grant or an error. Peek fills remaining, retry_after and reset_after of a
/// Grant.
struct Outcome {
  Grant grant;
  std::optional<StoreError> error;
};

/// Receives the answers that a store could not give at once.
class StoreSink {
 public:
  virtual ~StoreSink() = default;
  /// `tag` is the one given with the request.
  virtual void on_outcome(std::uint64_t tag, const Outcome& outcome) = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  /// Where later answers go. Set once, before the first request; must outlive the store.
  virtual void set_sink(StoreSink& sink) = 0;

  /// Nothing: the answer comes to the sink under `tag`.
  [[nodiscard]] virtual std::optional<Outcome> lease(const LeaseRequest& request, std::uint64_t tag) = 0;

  /// What is left, and how long a request of `cost` would have to wait; changes nothing.
  [[nodiscard]] virtual std::optional<Outcome> peek(std::string_view key, const limiter::Limit& limit,
                                                    std::int64_t cost, std::uint64_t tag) = 0;

  /// Answers with the key's remaining after it.
  [[nodiscard]] virtual std::optional<Outcome> give_back(const GiveBack& request, std::uint64_t tag) = 0;

  /// What a lease of one need of `cost` would be answered if that is known without asking anybody and
  /// without taking anything; else nothing. `allowed` is told by retry_after, as of peek.
  [[nodiscard]] virtual std::optional<Outcome> glance(std::string_view key, const limiter::Limit& limit,
                                                      std::int64_t cost) const {
    static_cast<void>(key);
    static_cast<void>(limit);
    static_cast<void>(cost);
    return std::nullopt;
  }

  /// Forgets the key: it is full again.
  [[nodiscard]] virtual std::optional<Outcome> reset(std::string_view key, const limiter::Limit& limit,
                                                     std::uint64_t tag) = 0;

  /// The history that grants now belong to, for the shard of `key`; 0: that shard does not answer.
  [[nodiscard]] virtual Generation generation_of(std::string_view key) const = 0;

  /// Those who share the shard of `key` with us, when it was last heard. Valid until the loop goes on.
  [[nodiscard]] virtual Fleet fleet_of(std::string_view key) const {
    static_cast<void>(key);
    return {};
  }

  /// For a rule whose limit is shared out while the store does not answer: takes `cost` ≥ 1 from this
  /// daemon's part of it, all or nothing. Nothing: this store keeps no parts.
  [[nodiscard]] virtual std::optional<Outcome> take_share(std::string_view key, const limiter::Limit& limit,
                                                          std::int64_t cost) {
    static_cast<void>(key);
    static_cast<void>(limit);
    static_cast<void>(cost);
    return std::nullopt;
  }
  /// Tokens of take_share that were not used after all, or that the store counted after all.
  virtual void put_share_back(std::string_view key, std::int64_t tokens) {
    static_cast<void>(key);
    static_cast<void>(tokens);
  }
};

/// Served by first-fit from `granted`: walks the needs and calls serve(cost) → void for each request that
/// fits. The one definition of "in order, all or nothing" for stores and for those who share a grant out.
template <class Serve>
std::int64_t first_fit(std::span<const Need> needs, std::int64_t granted, Serve serve) {
  std::int64_t used = 0;
  for (const Need& need : needs) {
    for (std::uint32_t i = 0; i < need.count && need.cost <= granted - used; ++i) {
      used += need.cost;
      serve(need.cost);
    }
  }
  return used;
}

}  // namespace sluice::store
