// Limits for tests, in one line each.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>

#include "base/result.h"
#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"

namespace sluice::limiter::testing {

using namespace std::chrono_literals;

/// The limit, or a failed test.
inline Limit must(const Result<Limit>& limit) {
  if (!limit) throw std::runtime_error(limit.error().message);
  return *limit;
}

inline Limit make(Algorithm algorithm, std::int64_t count, Duration period) {
  return must(Limit::make({.algorithm = algorithm, .count = count, .period = period}));
}

inline Limit bucket(std::int64_t count, Duration period, std::int64_t burst = 0) {
  return must(Limit::make({.count = count, .period = period, .burst = burst}));
}

inline Limit calendar_window(std::int64_t count, CalendarUnit unit, const char* zone = "UTC") {
  auto calendar = load_calendar(zone);
  if (!calendar) throw std::runtime_error(calendar.error().message);
  return must(Limit::make(
      {.algorithm = Algorithm::fixed_window, .count = count, .calendar = unit, .zone = *calendar}));
}

inline constexpr Algorithm kAlgorithms[] = {Algorithm::token_bucket, Algorithm::fixed_window,
                                            Algorithm::sliding_window_log, Algorithm::sliding_window_counter};

/// So long after 1970-01-01T00:00:00Z.
inline WallTime at(Duration since_epoch) {
  return WallTime(since_epoch);
}

/// A whole minute, hour and day: 2026-01-15T00:00:00Z.
inline constexpr WallTime kDay{24h * 20'468};

}  // namespace sluice::limiter::testing
