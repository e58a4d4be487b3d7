// What this daemon has debited lately and may have to debit again. Pure: time is passed in.
//
// After a failover the daemon debits, by force, every debit of its own that the new master's data is not
// proven to hold (see lineage.h). For that it remembers a few debits per key. What it does not know costs the
// client, never the limit:
// - a debit whose reply was lost is not in here. Nobody uses its tokens, so that it need not survive: where
//   the data holds it they count as used until they lapse, and where it does not nothing is missing;
// - a give-back shrinks the newest debits, which a failover loses first, and is never replayed. One that was
//   refused, or whose reply was lost, shrinks none: then tokens are debited again that nobody uses;
// - of more debits than kDebits the oldest are added up, and stand or fall with the newest of them; of a
//   bucket to no more than its capacity, for it never lacked more.
// Debits die when they no longer count: once the bucket would be full again, or the log's entry gone, or the
// window over (and a while later, for the clock of the next master may be behind).
// Of a bucket those count that were alive when the next history began, and they are kept for that: daemons
// rebook one after the other, and meanwhile the bucket refills. A debit that dies meanwhile does so by the
// same refill, which must not be had twice.
//
// Bound: max_keys. Beyond it the key whose debits die soonest is dropped and counted: if a failover then
// loses its debits, that many tokens may be admitted twice. Size: about 190 bytes a key with one debit, and
// 40 for each further one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limit_table.h"
#include "store/redis/lineage.h"
#include "store/store.h"

namespace sluice::store::redis {

/// Tokens that are to be debited again.
struct Lost {
  std::int64_t tokens = 0;
  std::optional<WallTime> moment{};  ///< in the window that they count in; nothing: as taken now
  bool operator==(const Lost&) const = default;
};

struct LedgerCounters {
  std::uint64_t dropped = 0;  ///< keys, for want of room
};

class Ledger {
 public:
  /// `repair_timeout`: longest from the beginning of a history to rebooking.
  Ledger(Random& random, std::size_t max_keys, Duration repair_timeout)
      : accounts_(0, KeyedHash(random)), max_keys_(max_keys), repair_timeout_(repair_timeout) {}

  /// `tokens` ≥ 1 were debited from `counter` in that history; by the grant's seq, and its times.
  void book(std::string_view counter, const limiter::Limit& limit, const Lineage& lineage, const Grant& grant,
            std::int64_t tokens, Instant now);

  /// The store has taken tokens back. `granted_at` as in GiveBack.
  void give_back(std::string_view counter, std::int64_t tokens, std::optional<WallTime> granted_at,
                 Instant now);

  /// The store has forgotten the counter.
  void forget(std::string_view counter);

  /// Counters that have debits which data with these lines is not proven to hold. The last line's history
  /// began at `began` or later.
  [[nodiscard]] std::vector<std::string> unproven(std::span<const LineageLine> lines, Instant began,
                                                  Instant now) const;
  /// These debits of one counter, oldest first.
  [[nodiscard]] std::vector<Lost> lost(std::string_view counter, std::span<const LineageLine> lines,
                                       Instant began, Instant now) const;
  /// Of a counter that has debits.
  [[nodiscard]] const limiter::Limit& limit_of(std::string_view counter) const;
  /// They were debited again, as one debit of the lines' last history: in their place is what the answer
  /// says.
  void rebooked(std::string_view counter, std::span<const LineageLine> lines, const Grant& answer,
                Instant now);

  /// Drops what is dead. Booking does so as well; this is for when nothing is booked.
  void sweep(Instant now);

  /// Keys, some of which may be dead or without debits.
  [[nodiscard]] std::size_t size() const { return accounts_.size(); }
  /// No debit is held.
  [[nodiscard]] bool empty() const { return debits_ == 0; }
  [[nodiscard]] const LedgerCounters& counters() const { return counters_; }

  /// Per key, older ones added up.
  static constexpr std::size_t kDebits = 4;

 private:
  using HistoryId = std::uint32_t;
  struct Debit {
    std::uint64_t seq = 0;
    std::int64_t tokens = 0;
    Instant dies_at{};
    WallTime stamp{};  ///< which part of the counter holds it: see stamp_of
    HistoryId history = 0;
  };
  struct Account {
    limiter::LimitId limit = 0;
    std::vector<Debit> debits;  ///< oldest first
  };
  using Accounts = std::unordered_map<std::string, Account, KeyedHash, std::equal_to<>>;
  /// A history that debits belong to.
  struct History {
    Lineage lineage{};
    std::size_t debits = 0;  ///< 0: free
  };
  /// When to look whether the account is dead. Each account has one; debits of it may have come since.
  struct Look {
    Instant due{};
    Accounts::value_type* account = nullptr;
  };

  /// Until when a debit is remembered that dies at `death`.
  [[nodiscard]] Instant kept_until(const limiter::Limit& limit, Instant death) const;
  [[nodiscard]] Instant last_use(const Account& account) const;
  void forget_useless(Account& account, Instant now);

  Account& account_of(std::string_view counter, const limiter::Limit& limit, Instant dies_at);
  void add(Account& account, const Debit& debit);
  /// Makes one of two debits, or drops one that no longer counts.
  void fold(Account& account);
  template <class Predicate>
  void remove_debits(Account& account, Predicate predicate);
  void make_room();
  void push_look(Look look);
  Look pop_look();
  void remove(Accounts::value_type& account);
  [[nodiscard]] HistoryId history_id(const Lineage& lineage);
  /// Of each history, what these lines hold of it.
  [[nodiscard]] std::vector<std::uint64_t> held(std::span<const LineageLine> lines) const;

  Accounts accounts_;
  std::size_t max_keys_;
  Duration repair_timeout_;
  limiter::LimitTable limits_;
  std::vector<History> histories_;
  std::vector<Look> looks_;  ///< a heap, the earliest first
  std::size_t debits_ = 0;
  LedgerCounters counters_;
};

}  // namespace sluice::store::redis
