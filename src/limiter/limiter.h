// The four algorithms: pure integer arithmetic on (limit, state, now). No I/O, no clock, no overflow.
//
// Formulas: token bucket as an exact rational GCRA; windows and sliding windows as integer inequalities; each
// with its remaining, retry-after and reset-after, all checked against brute force in tests/property/limiter.
// A state that was never touched, or that has healed, equals State{} ("full"): such a key need not be kept.
// Moments are whole microseconds up to 2^53 − 1, the year 2255: what would end later never ends
// ("saturates").
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "limiter/limit.h"

namespace sluice::limiter {

/// `missing` units are gone from the bucket as of `at_tick`; refill is counted from there.
struct BucketState {
  std::int64_t missing = 0;
  std::int64_t at_tick = 0;
  bool operator==(const BucketState&) const = default;
};

/// `used` tokens in the window that began at `start_us`.
struct FixedState {
  std::int64_t start_us = 0;
  std::int64_t used = 0;
  bool operator==(const FixedState&) const = default;
};

/// Tokens admitted in window number `index` and in the one before it.
struct CounterState {
  std::int64_t index = 0;
  std::int64_t current = 0;
  std::int64_t previous = 0;
  bool operator==(const CounterState&) const = default;
};

/// Admitted cost by the tick it counts from, oldest first, one entry per tick.
struct LogState {
  struct Entry {
    std::int64_t tick = 0;
    std::int64_t tokens = 0;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries;
  std::int64_t last_tick = 0;  ///< newest "now" seen: a clock that steps back does not reopen the window
  bool operator==(const LogState&) const = default;
};

/// monostate: full. What a state holds must come from the same Limit, or through carry_over.
using State = std::variant<std::monostate, BucketState, FixedState, CounterState, LogState>;

struct Verdict {
  bool allowed = false;
  std::int64_t remaining = 0;  ///< whole tokens left after this decision, 0 … capacity
  /// 0 when allowed; kNever when cost > capacity; else the shortest wait after which the same cost passes if
  /// nobody else takes anything. Exact to the nanosecond, counted from `now`; saturates at Duration::max().
  Duration retry_after{};
  /// Time until the state equals full again; 0 when it does. Saturates at Duration::max().
  Duration reset_after{};
};

// `now` may step back between calls: every algorithm then uses the latest time its state has seen, while the
// durations are counted from the `now` given. Cost and tokens are ≥ 0 (asserted); a cost of 0 never changes a
// state, and is allowed unless the state is over-full (which only a lowered limit can make it).
// A denied cost never changes a state.

/// Takes `cost` tokens, all or none.
[[nodiscard]] Verdict take(const Limit& limit, State& state, WallTime now, std::int64_t cost);

/// What take would answer, without taking.
[[nodiscard]] Verdict peek(const Limit& limit, const State& state, WallTime now, std::int64_t cost);

/// Whole tokens that could be taken now.
[[nodiscard]] std::int64_t available(const Limit& limit, const State& state, WallTime now);

/// Puts tokens back, never above full; returns how many were put back. `debited_at` is when they were taken,
/// if that is known: windows then give back only to the window they were taken from, and a log to that very
/// entry. Unknown: a fixed window gives back to the current one, a counter to its newer window first, and a
/// log frees its oldest entries first, which can only be too strict.
std::int64_t give_back(const Limit& limit, State& state, WallTime now, std::int64_t tokens,
                       std::optional<WallTime> debited_at);

/// The earliest moment at which the state equals full if nothing more is taken. For State{}: `now`.
/// Saturates at the end of WallTime.
[[nodiscard]] WallTime full_at(const Limit& limit, const State& state, WallTime now);

/// When tokens taken now stop being good: the end of a fixed window or of a counter's window; nothing for a
/// bucket and a log.
[[nodiscard]] std::optional<WallTime> window_end(const Limit& limit, WallTime now);

/// The same consumption under another limit, for a changed configuration: never lifts a key to full. Equal
/// algorithm and window: the state as it is, rescaled to the new units and rounded up. Otherwise what is
/// consumed as of `now` (whole tokens, rounded up) counts as taken at `now`.
[[nodiscard]] State carry_over(const Limit& from, const Limit& to, const State& state, WallTime now);

}  // namespace sluice::limiter
