// The local cache of tokens: a state machine of (event, now) → answers and actions. It does no I/O, keeps no
// clock, and never calls back: what is to be done is left in an Actions for the caller to carry out.
//
// Per key it holds tokens that were leased beforehand, knows whether the store has any, and lets checks that
// neither can answer wait for one request to the store: there is never more than one in flight per key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/histogram.h"
#include "base/random.h"
#include "base/time.h"
#include "lease/entry.h"
#include "lease/generations.h"
#include "lease/grant.h"
#include "lease/keys.h"
#include "lease/stock.h"
#include "lease/terms.h"

namespace sluice::lease {

/// `count` requests of `cost` tokens each, in arrival order.
struct Need {
  std::int64_t cost = 0;
  std::uint32_t count = 0;
};

/// To be sent to the store; its result comes back as granted() or failed() under the same id.
struct Ask {
  std::uint64_t id = 0;
  std::string_view key;  ///< valid until the table is called again
  TermsPtr terms;
  std::vector<Need> needs{};
  std::int64_t extra = 0;
};

/// Tokens to give back to the store; how that ends is of no interest.
struct Return {
  std::string key;
  TermsPtr terms;
  std::int64_t tokens = 0;
  WallTime granted_at{};
  Generation generation = 0;
};

/// The answer to a check that waited.
struct Resolved {
  std::uint64_t tag = 0;
  std::int64_t cost = 0;
  Answer answer;
};

struct Actions {
  std::vector<Ask> asks;
  std::vector<Return> returns;
  std::vector<Resolved> resolved;
  std::vector<std::string> reached;  ///< keys marked by owe() or watch() of which the store has been heard

  [[nodiscard]] bool empty() const {
    return asks.empty() && returns.empty() && resolved.empty() && reached.empty();
  }
};

enum class Failure : std::uint8_t {
  unavailable,  ///< nothing was debited
  unknown,      ///< the debit may have happened: it counts as spent, and is not repeated
};

inline constexpr std::array<std::int64_t, 10> kLeaseSizeBounds = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
using LeaseSizes = Histogram<kLeaseSizeBounds>;

/// Plain numbers for observe/ to render.
struct TableCounters {
  std::uint64_t hits = 0;      ///< taken from tokens at hand
  std::uint64_t denials = 0;   ///< denied from memory
  std::uint64_t waits = 0;     ///< checks that had to wait for the store
  std::uint64_t asks = 0;      ///< requests to the store
  std::uint64_t granted = 0;   ///< tokens received, needs and extra
  std::uint64_t extra = 0;     ///< of these, ahead of need
  std::uint64_t returned = 0;  ///< tokens given back
  std::uint64_t lapsed = 0;    ///< tokens that ended with their window
  std::uint64_t evicted = 0;   ///< idle keys forgotten
  std::uint64_t crowded = 0;   ///< of these, to make room for others
  std::uint64_t refused = 0;   ///< new keys for which there was no room
  LeaseSizes sizes{};          ///< tokens of each grant that gave any
};

class Table {
 public:
  /// `random` keys the hash table. Keys beyond `max_keys` are refused while none of those held is idle.
  Table(Random& random, std::size_t max_keys);

  /// Takes `cost` ≥ 1 tokens of `key`. `waiting`: the answer will be among Actions::resolved under `tag`, and
  /// compose() has something to do.
  [[nodiscard]] Answer take(std::string_view key, const TermsPtr& terms, std::int64_t cost, std::uint64_t tag,
                            Instant now, Actions& actions);

  /// What take() would answer, as far as it is known here; changes nothing. Of a key that is not held nothing
  /// is known: it may be full.
  [[nodiscard]] Answer glance(std::string_view key, const Terms& terms, std::int64_t cost, Instant now) const;

  /// Nothing: `key` is not held.
  [[nodiscard]] std::optional<Figures> known(std::string_view key, Instant now) const;

  /// Tokens at hand for `key`; 0 if it is not held.
  [[nodiscard]] std::int64_t held(std::string_view key, Instant now) const;

  /// Tokens that were taken and not used, for another limit denied the same check. They stay here if they are
  /// still good.
  Figures put_back(std::string_view key, const TermsPtr& terms, std::int64_t tokens, const Origin& origin,
                   Instant now, Actions& actions);

  /// The requests due, of all that waits. To be called once at the end of each turn in which take() said
  /// `waiting`, or wants_to_ask().
  void compose(Instant now, Actions& actions);
  [[nodiscard]] bool wants_to_ask() const { return !due_.empty(); }

  void granted(std::uint64_t id, const Grant& grant, Instant now, Actions& actions);
  void failed(std::uint64_t id, Failure failure, Instant now, Actions& actions);

  /// Gives back what is idle or ends, and forgets keys of which nothing is known that matters. To be called
  /// every Keys::kSlot or so while size() > 0; does a bounded amount of work.
  void tick(Instant now, Actions& actions);

  /// Gives everything back, for shutdown.
  void drain(Instant now, Actions& actions);

  /// Tokens of `key` were spent without the store: they are debited as far as it still has them, with the
  /// next request. False: there is no room for the key.
  bool owe(std::string_view key, const TermsPtr& terms, std::int64_t tokens, Instant now, Actions& actions);
  /// Tells, by Actions::reached, when the store next answers for `key`, if that is held.
  void watch(std::string_view key);

  /// The key was reset: tokens at hand are of no use to anybody, and nothing is known of it any more.
  void forget(std::string_view key);
  /// Tokens of the key were refunded: `remaining` are left in the store, and it may be asked at once.
  void heard(std::string_view key, std::int64_t remaining, Duration reset_after, Instant now);

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] const TableCounters& counters() const { return counters_; }

 private:
  struct Waiter {
    std::uint64_t tag = 0;
    std::int64_t cost = 0;
  };
  /// What there is only of a key with checks waiting, a request on its way, or tokens spent in advance.
  struct Flight {
    std::uint64_t id = 0;  ///< of the request on its way; 0: there is none
    std::deque<Waiter> waiters;
    std::size_t sent = 0;  ///< of the waiters, those whose needs are on their way
    Instant sent_at{};
    std::int64_t asked_extra = 0;   ///< with those in place of checks that came too early
    std::int64_t initial_left = 0;  ///< may still be spent before the first answer
    std::int64_t debt = 0;          ///< of it, spent and not yet debited
    std::int64_t debt_sent = 0;     ///< of the debt, on its way
    bool due = false;               ///< in due_
    bool forgotten = false;         ///< reset since it was sent
  };

  Entry* enter(std::string_view key, const TermsPtr& terms, Instant now, Actions& actions);
  void adopt(Entry& entry, const TermsPtr& terms, Actions& actions);
  void make_room(Instant now);
  std::optional<Answer> from_stock(Entry& entry, std::int64_t cost, Instant now);
  std::optional<Answer> from_initial(Entry& entry, std::int64_t cost, Instant now);
  Flight& flight_of(Entry& entry);
  void mark_due(Entry& entry);
  void prefetch(Entry& entry, Instant now);
  void ask(Entry& entry, Flight& flight, Instant now, Actions& actions);
  /// Returns the tokens granted for needs that no check waits for.
  std::int64_t serve_sent(Entry& entry, Flight& flight, const Grant& grant, const Lot& lot, Instant now,
                          Actions& actions);
  void deny_sent(Entry& entry, const Grant& grant, Instant now);
  void keep(Entry& entry, const Lot& lot, Instant now, Actions& actions);
  void serve_rest(Entry& entry, Flight& flight, Instant now, Actions& actions);
  void finish_if_done(Entry& entry);
  void give_back(Entry& entry, const Lot& lot, Instant now, Actions& actions);
  void give_back_all(Entry& entry, Instant now, Actions& actions);
  Instant look_after(Entry& entry, Instant now, Actions& actions);

  std::size_t max_keys_;
  Keys keys_;
  std::unordered_map<const Entry*, Flight> flights_;
  std::unordered_map<std::uint64_t, Entry*> sent_;  ///< by Ask::id
  std::vector<Entry*> due_;                         ///< that compose() is to ask for
  Generations generations_;
  std::uint64_t next_id_ = 1;
  TableCounters counters_;
};

}  // namespace sluice::lease
