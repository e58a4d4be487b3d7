#include "limiter/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"

namespace sluice::limiter {
namespace {

using namespace std::chrono_literals;

struct UnitWord {
  std::string_view word;
  Duration period;
  CalendarUnit unit = CalendarUnit::none;
};

constexpr std::array kWords{
    UnitWord{"second", 1s},
    UnitWord{"seconds", 1s},
    UnitWord{"sec", 1s},
    UnitWord{"s", 1s},
    UnitWord{"minute", 1min},
    UnitWord{"minutes", 1min},
    UnitWord{"min", 1min},
    UnitWord{"m", 1min},
    UnitWord{"hour", 1h},
    UnitWord{"hours", 1h},
    UnitWord{"hr", 1h},
    UnitWord{"h", 1h},
    UnitWord{"day", 24h, CalendarUnit::day},
    UnitWord{"days", 24h, CalendarUnit::day},
    UnitWord{"d", 24h},
    UnitWord{"month", Duration::zero(), CalendarUnit::month},
    UnitWord{"months", Duration::zero(), CalendarUnit::month},
    UnitWord{"year", Duration::zero(), CalendarUnit::year},
    UnitWord{"years", Duration::zero(), CalendarUnit::year},
};

std::unexpected<Error> bad_rate(std::string_view text, std::string_view why) {
  return failure(fmt::format(R"("{}" is not a rate: {}; write for example "100/minute" or "10/15m")",
                             printable(text), why));
}

std::string unknown_unit(std::string_view unit) {
  // Suggest the full words only: everything short is near to "s", "m", "h" and "d".
  constexpr std::array<std::string_view, 6> kSuggested{"second", "minute", "hour", "day", "month", "year"};
  const std::string_view near = nearest(unit, kSuggested);
  return fmt::format("\"{}\" is neither a unit of time nor a duration{}", printable(unit),
                     near.empty() ? std::string() : fmt::format(" (did you mean \"{}\"?)", near));
}

}  // namespace

Result<Rate> parse_rate(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos)
    return bad_rate(text, "it has no \"/\" between a count and a unit of time");

  const std::string_view digits = text.substr(0, slash);
  const auto count = parse_int(digits);
  if (!count || *count > kMaxInteger) {
    return bad_rate(text, fmt::format("its count must be a whole number, at most {}", kMaxInteger));
  }
  if (digits.front() == '-') return bad_rate(text, "its count must not be negative");

  const std::string_view unit = text.substr(slash + 1);
  const auto* const word = std::ranges::find(kWords, unit, &UnitWord::word);
  if (word != kWords.end()) return Rate{.count = *count, .period = word->period, .unit = word->unit};

  const auto period = parse_duration(unit);
  if (!period) return bad_rate(text, unknown_unit(unit));
  if (*period == Duration::zero()) return bad_rate(text, "its period must be longer than 0");
  return Rate{.count = *count, .period = *period, .unit = CalendarUnit::none};
}

}  // namespace sluice::limiter
