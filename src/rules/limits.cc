#include "rules/limits.h"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/rate.h"
#include "rules/fault.h"

namespace sluice::rules {
namespace {

using limiter::Algorithm;
using limiter::CalendarUnit;
using limiter::Limit;
using limiter::LimitSpec;

constexpr std::array kAlgorithms{Algorithm::token_bucket, Algorithm::fixed_window,
                                 Algorithm::sliding_window_log, Algorithm::sliding_window_counter};
constexpr std::string_view kUnlimited = "unlimited";

std::optional<Fault> fault_of_burst(const LimitWords& words) {
  if (!words.burst) return std::nullopt;
  if (words.algorithm != Algorithm::token_bucket) {
    return Fault{"burst",
                 fmt::format("only token_bucket has a burst; {} admits exactly its limit in each window",
                             limiter::name_of(words.algorithm))};
  }
  if (*words.burst < 1) {
    return Fault{"burst",
                 fmt::format("{} is too small; a burst is at least 1, and without one it is the limit's "
                             "count",
                             *words.burst)};
  }
  return std::nullopt;
}

std::expected<limiter::Rate, Fault> parse_limit_text(std::string_view text) {
  if (text == "0") return limiter::Rate{};  // of no tokens any period is right
  auto rate = limiter::parse_rate(text);
  if (rate) return *rate;
  constexpr std::array kWords{kUnlimited};
  return fault("limit",
               fmt::format(R"({}, "unlimited" or "0"{})", rate.error().message, did_you_mean(text, kWords)));
}

}  // namespace

std::expected<Algorithm, Fault> parse_algorithm(std::string_view name) {
  std::array<std::string_view, kAlgorithms.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    names.at(i) = limiter::name_of(kAlgorithms.at(i));
    if (name == names.at(i)) return kAlgorithms.at(i);
  }
  return fault(
      "algorithm",
      fmt::format("\"{}\" is no algorithm; there are token_bucket, fixed_window, sliding_window_log and "
                  "sliding_window_counter{}",
                  printable(name), did_you_mean(name, names)));
}

std::expected<RuleLimit, Fault> LimitCompiler::compile(const LimitWords& words) {
  if (auto wrong = fault_of_burst(words)) return std::unexpected(std::move(*wrong));
  // A misspelt zone is a fault also where no civil window needs it yet.
  const auto calendar = zone(words.timezone);
  if (!calendar) return std::unexpected(calendar.error());
  RuleLimit out{std::string(words.limit), std::nullopt};
  if (words.limit == kUnlimited) return out;

  const auto rate = parse_limit_text(words.limit);
  if (!rate) return std::unexpected(rate.error());
  LimitSpec spec{.algorithm = words.algorithm,
                 .count = rate->count,
                 .period = rate->period,
                 .calendar = rate->unit,
                 .zone = nullptr,
                 .burst = words.burst.value_or(0)};
  if (words.algorithm == Algorithm::fixed_window && rate->unit != CalendarUnit::none) spec.zone = *calendar;
  auto limit = Limit::make(spec);
  if (limit) {
    out.limit = std::move(*limit);
    return out;
  }
  // Point at the burst where the limit would do without it.
  const bool has_burst = std::exchange(spec.burst, 0) != 0;
  return fault(has_burst && Limit::make(spec) ? "burst" : "limit", std::move(limit.error().message));
}

std::expected<std::shared_ptr<const limiter::Calendar>, Fault> LimitCompiler::zone(std::string_view name) {
  const auto known = zones_.find(name);
  if (known != zones_.end()) return known->second;
  auto calendar = limiter::load_calendar(name);
  if (!calendar) return fault("timezone", std::move(calendar.error().message));
  return zones_.emplace(name, std::move(*calendar)).first->second;
}

}  // namespace sluice::rules
