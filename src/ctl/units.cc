#include "ctl/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <string>

namespace sluice::ctl {
namespace {

constexpr const char* kUnknown = "-";

std::string grouped(double value) {
  std::string digits = fmt::format("{:.0f}", value);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace

std::string count_text(Number value) {
  constexpr double kLong = 1e7;
  if (!value) return kUnknown;
  if (*value < kLong) return grouped(*value);
  struct Unit {
    double size;
    char letter;
  };
  constexpr std::array kUnits{Unit{1e12, 'T'}, Unit{1e9, 'G'}, Unit{1e6, 'M'}};
  for (const Unit& unit : kUnits) {
    if (*value >= unit.size) return fmt::format("{:.4g}{}", *value / unit.size, unit.letter);
  }
  return grouped(*value);
}

std::string rate_text(Number value) {
  constexpr double kRoundsToTen = 9.95;
  if (value && *value > 0 && *value < kRoundsToTen) return fmt::format("{:.1f}", *value);
  return count_text(value);
}

std::string percent_text(Number share) {
  constexpr double kFew = 0.0995;
  constexpr double kMost = 0.99;
  constexpr double kPercent = 100;
  if (!share) return kUnknown;
  if (*share > 0 && *share < kFew) return fmt::format("{:.1f} %", *share * kPercent);
  // Cut and not rounded: 99.997 % is not 100 %.
  if (*share > kMost && *share < 1) return fmt::format("{:.2f} %", std::floor(*share * 10'000) / kPercent);
  return fmt::format("{:.0f} %", *share * kPercent);
}

std::string micros_text(Number us) {
  constexpr double kMilli = 1e3;
  constexpr double kWhole = 1e6;
  if (!us) return kUnknown;
  if (*us < kMilli) return fmt::format("{:.0f} us", *us);
  if (*us < kWhole) return fmt::format("{:.3g} ms", *us / kMilli);
  return fmt::format("{:.3g} s", *us / kWhole);
}

std::string span_text(Number seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kDay = 86'400;
  if (!seconds) return kUnknown;
  if (*seconds < 2 * kMinute) return fmt::format("{:.0f} s", std::floor(*seconds));
  if (*seconds < 2 * kHour) return fmt::format("{:.0f} min", std::floor(*seconds / kMinute));
  if (*seconds < 2 * kDay) return fmt::format("{:.0f} h", std::floor(*seconds / kHour));
  return fmt::format("{:.0f} days", std::floor(*seconds / kDay));
}

std::string clock_text(Number unix_ms) {
  constexpr double kFarthest = 1e14;  // some three thousand years
  if (!unix_ms || !(std::abs(*unix_ms) < kFarthest)) return kUnknown;
  const auto seconds = static_cast<std::time_t>(*unix_ms / 1000);
  std::tm local{};
  if (localtime_r(&seconds, &local) == nullptr) return kUnknown;
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace sluice::ctl
