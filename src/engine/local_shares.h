// What this daemon lets through by itself while the store does not answer: its part of each limit.
//
// Each of the n daemons that were last seen alive enforces, with the real algorithm, its n-th of what it last
// knew was left of the key, then of the limit as time refills it; of a key that it does not know, its n-th of
// the limit. What does not divide evenly goes to the daemons that rank highest for that key, so that the
// parts sum to the limit. What was let through is booked in the store when it is back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limit_table.h"
#include "limiter/limiter.h"

namespace sluice::engine {

/// Which part of a key's limit is ours.
struct Portion {
  std::int64_t parts = 1;  ///< ≥ 1
  std::int64_t rank = 0;   ///< 0 … parts − 1
};

class LocalShares {
 public:
  /// `random` keys the table. Keys beyond `max_keys` are denied: to forget one would hand out its part again.
  LocalShares(Random& random, std::size_t max_keys);

  /// Whether `key` is held under `limit`: then take() goes by what counted when it was first asked for.
  [[nodiscard]] bool holds(std::string_view key, const limiter::Limit& limit) const;

  /// Takes `cost` ≥ 1 from our part of the limit. `known_left`: what the store, when last heard, had left of
  /// the key. Which part is ours, and what was left, count when a key is first asked for.
  [[nodiscard]] limiter::Verdict take(std::string_view key, const limiter::Limit& limit, std::int64_t cost,
                                      Portion portion, std::optional<std::int64_t> known_left, WallTime now);

  /// Tokens of take() that were not used after all, or that the store counted after all.
  void put_back(std::string_view key, std::int64_t tokens, WallTime now);

  /// Something to be debited in the store.
  struct Booking {
    std::string key;
    limiter::Limit limit;
    std::int64_t tokens = 0;
  };
  /// Of the next `budget` keys for which `reachable(key)` holds, what was let through and still counts; each
  /// token is told once. The keys stay until reached(), so that no part is handed out again before the store
  /// has really answered; those that have healed are forgotten.
  [[nodiscard]] std::vector<Booking> book(std::size_t budget, WallTime now,
                                          const std::function<bool(std::string_view)>& reachable);

  /// The store has answered for the key.
  void reached(std::string_view key);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    limiter::LimitId whole = 0;  ///< the limit that the part is of
    limiter::LimitId part = 0;
    limiter::State state;       ///< under the part
    std::int64_t admitted = 0;  ///< and not yet told in a Booking
  };
  using Entries = std::unordered_map<std::string, Entry, KeyedHash, std::equal_to<>>;

  Entry* find_or_begin(std::string_view key, const limiter::Limit& limit, Portion portion,
                       std::optional<std::int64_t> known_left, WallTime now);
  Entries::iterator forget(Entries::iterator entry);
  [[nodiscard]] std::int64_t still_counts(const Entry& entry, WallTime now) const;

  std::size_t max_keys_;
  limiter::LimitTable limits_;
  Entries entries_;
  std::string next_;  ///< where book() goes on
};

}  // namespace sluice::engine
