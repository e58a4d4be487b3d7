// How people write rates.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "limiter/calendar.h"

namespace sluice::limiter {

struct Rate {
  std::int64_t count = 0;
  Duration period{};                       ///< day: 24 h; zero for month and year
  CalendarUnit unit = CalendarUnit::none;  ///< set for "day", "month", "year": fixed windows use it
};

/// "100/minute", "5/s", "1000000/day", "10/15m", "3/month". The unit is one of second, minute, hour, day,
/// month, year (also plural; also s, m, h, d, as "min", "sec", "hr") or a duration as parse_duration reads
/// it. "d" and "24h" are 24 hours; only the word "day" is a civil day. The error says what is wrong and shows
/// a right example.
[[nodiscard]] Result<Rate> parse_rate(std::string_view text);

}  // namespace sluice::limiter
