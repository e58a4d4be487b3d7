#include "base/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sluice {
namespace {

struct Unit {
  std::string_view name;
  Duration length;
};

using namespace std::chrono_literals;
constexpr std::array<Unit, 6> kUnits{
    {{"d", 24h}, {"h", 1h}, {"m", 1min}, {"s", 1s}, {"ms", 1ms}, {"us", 1us}}};

std::int64_t ceil_to(Duration d, Duration unit) {
  if (d < Duration::zero()) return -1;
  return d / unit + (d % unit == Duration::zero() ? 0 : 1);
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const auto digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  const auto number = parse_int(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.name) continue;
    if (*number > Duration::max() / unit.length) return std::nullopt;
    return *number * unit.length;
  }
  return std::nullopt;
}

std::string format_duration(Duration d) {
  if (d < Duration::zero()) return "never";
  if (d < 1us) return "0s";
  for (const Unit& unit : kUnits) {
    if (d % unit.length == Duration::zero()) return std::to_string(d / unit.length).append(unit.name);
  }
  return std::to_string(d / 1us) + "us";
}

std::int64_t ceil_milliseconds(Duration d) {
  return ceil_to(d, 1ms);
}

std::int64_t ceil_seconds(Duration d) {
  return ceil_to(d, 1s);
}

}  // namespace sluice
