// Moments as the algorithms count them: whole microseconds since 1970, as Redis' TIME gives them.
//
// Every number is an integer of at most kMaxInteger, sums and products included, because the Lua scripts
// compute the same with doubles. Division is floored; of such integers it is exact in doubles too.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/time.h"
#include "limiter/limit.h"

namespace sluice::limiter {

/// A moment that never comes. It is the year 2255: what would end later counts as endless.
inline constexpr std::int64_t kForeverUs = kMaxInteger;

/// Latest "now" that is told apart from later ones (the year 2235), so that the ends of this window and of
/// the next one, of the longest period that there is, are exact as well.
inline constexpr std::int64_t kLatestUs = kMaxInteger - std::int64_t{2} * 3660 * 86'400 * 1'000'000;

/// Rounded down, for judging: what has not certainly passed has not passed. Times before 1970 count as 1970.
[[nodiscard]] inline std::int64_t floor_us(WallTime t) {
  const auto us = std::chrono::floor<std::chrono::microseconds>(t).time_since_epoch().count();
  return std::clamp(us, std::int64_t{0}, kLatestUs);
}

/// Rounded up, for stamping what was taken: it counts from a moment that is not before it was taken.
[[nodiscard]] inline std::int64_t ceil_us(WallTime t) {
  const auto us = std::chrono::ceil<std::chrono::microseconds>(t).time_since_epoch().count();
  return std::clamp(us, std::int64_t{0}, kLatestUs);
}

/// Of a ≥ 0 and b > 0.
[[nodiscard]] constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

/// The moment at which tick number `tick`, each of `tick_us`, begins; kForeverUs if that is too late to
/// count.
[[nodiscard]] constexpr std::int64_t begin_of_tick(std::int64_t tick, std::int64_t tick_us) {
  return tick > kForeverUs / tick_us ? kForeverUs : tick * tick_us;
}

/// From `now` to the moment `us` ≥ 0: 0 when it has passed, Duration::max() when it never comes.
[[nodiscard]] inline Duration time_until(std::int64_t us, WallTime now) {
  if (us >= kForeverUs) return Duration::max();
  const Duration moment = std::chrono::microseconds(us);
  if (now.time_since_epoch() <= moment - Duration::max()) return Duration::max();
  return std::max(moment - now.time_since_epoch(), Duration::zero());
}

}  // namespace sluice::limiter
