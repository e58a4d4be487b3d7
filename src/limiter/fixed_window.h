// Fixed windows: of one length and aligned to 1970, or civil days, months and years.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "limiter/limiter.h"

namespace sluice::limiter {

/// The window of `state` as of `now`. Moments are in microseconds, see ticks.h.
class FixedWindow {
 public:
  FixedWindow(const Limit& limit, const State& state, WallTime now);

  [[nodiscard]] std::int64_t available() const;
  [[nodiscard]] bool fits(std::int64_t cost) const;
  /// When a cost that does not fit now, but is at most the capacity, will.
  [[nodiscard]] std::int64_t fits_at(std::int64_t cost) const;
  /// Nothing when nothing is used.
  [[nodiscard]] std::optional<std::int64_t> full_at() const;
  [[nodiscard]] std::int64_t consumed() const { return used_; }
  /// The window's end.
  [[nodiscard]] std::int64_t end_us() const { return span_.end_us; }

  /// Takes what fits.
  void debit(std::int64_t cost);
  /// Writes what was debited to the state this was made from.
  void save(State& state) const;
  /// Only to this window, and only what was taken from it if `debited_at` is known.
  std::int64_t credit(std::int64_t tokens, std::optional<WallTime> debited_at, State& state);

  /// The state that holds `consumed` tokens taken at `now`.
  [[nodiscard]] static State holding(const Limit& limit, WallTime now, std::int64_t consumed);

 private:
  struct Span {
    std::int64_t start_us = 0;
    std::int64_t end_us = 0;
  };
  [[nodiscard]] static Span span_at(const Limit& limit, std::int64_t now_us);

  const Limit& limit_;
  Span span_;
  std::int64_t used_ = 0;
};

}  // namespace sluice::limiter
