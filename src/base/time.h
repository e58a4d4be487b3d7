// Time as Sluice speaks of it: two clocks that must not be mixed, so they are two types.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

/// All lengths of time; 64-bit nanoseconds reach 292 years.
using Duration = std::chrono::nanoseconds;

/// Tag of the monotonic clock: never steps, has no meaning outside this process.
struct MonotonicTag {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  static constexpr bool is_steady = true;
};

/// A moment on the monotonic clock. Timeouts and lease ends are counted here.
using Instant = std::chrono::time_point<MonotonicTag, Duration>;

/// A moment of civil time: nanoseconds since 1970-01-01T00:00:00Z. Windows are aligned to it.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Stands for "no amount of waiting helps" wherever a retry-after is given.
inline constexpr Duration kNever{-1};

/// Parses "250ms", "1.5s" is refused: a whole number and one of us, ms, s, m, h, d. Units are required.
/// Returns nothing on anything else, on a negative number and on overflow of Duration.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

/// The shortest exact form that parse_duration reads back: "90s" → "90s", 60 s → "1m". Rounds down below 1
/// us.
[[nodiscard]] std::string format_duration(Duration d);

/// Whole units, rounded up, as retry-after must be: a client that waits this long is not too early.
/// kNever and other negatives stay −1.
[[nodiscard]] std::int64_t ceil_milliseconds(Duration d);
[[nodiscard]] std::int64_t ceil_seconds(Duration d);

}  // namespace sluice
