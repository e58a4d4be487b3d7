// Sliding window counter: this window's count plus the share of the previous one that still overlaps.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "limiter/limiter.h"

namespace sluice::limiter {

/// The two counts of `state` as of `now`. The estimate is current + previous × (W − e) ÷ W, e ticks into a
/// window of W. Moments are in microseconds, see ticks.h.
class SlidingCounter {
 public:
  SlidingCounter(const Limit& limit, const State& state, WallTime now);

  [[nodiscard]] std::int64_t available() const;
  [[nodiscard]] bool fits(std::int64_t cost) const;
  /// When a cost that does not fit now, but is at most the capacity, will.
  [[nodiscard]] std::int64_t fits_at(std::int64_t cost) const;
  /// When the estimate reaches 0; nothing when it is.
  [[nodiscard]] std::optional<std::int64_t> full_at() const;
  /// The estimate, rounded up.
  [[nodiscard]] std::int64_t consumed() const;
  /// The current window's end.
  [[nodiscard]] std::int64_t end_us() const;

  /// Takes what fits.
  void debit(std::int64_t cost);
  /// Writes what was debited to the state this was made from.
  void save(State& state) const;
  /// To the window of `debited_at` only, if that is known; else to the newer one first, for tokens of the
  /// older one weigh less.
  std::int64_t credit(std::int64_t tokens, std::optional<WallTime> debited_at, State& state);

  /// The state that holds `consumed` tokens taken at `now`.
  [[nodiscard]] static State holding(const Limit& limit, WallTime now, std::int64_t consumed);
  /// The same counts under `to`, whose window is the same. Counts too large for it are taken at `now`.
  [[nodiscard]] State carried_to(const Limit& to, WallTime now) const;

 private:
  [[nodiscard]] static std::int64_t index_at(const Limit& limit, std::int64_t now_us);
  /// What of the previous window still counts, rounded up.
  [[nodiscard]] std::int64_t overlap() const;
  /// `elapsed` ticks after the beginning of the current window.
  [[nodiscard]] std::int64_t moment(std::int64_t elapsed) const;

  const Limit& limit_;
  CounterState counts_;
  std::int64_t elapsed_ = 0;  ///< e
};

}  // namespace sluice::limiter
