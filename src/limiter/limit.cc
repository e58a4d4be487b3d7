#include "limiter/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/result.h"
#include "base/time.h"
#include "limiter/calendar.h"

namespace sluice::limiter {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortestPeriod = 1ms;
constexpr Duration kLongestPeriod = 24h * 3660;

/// Wide enough for the product of any two numbers of a limit; for configuration time only.
__extension__ using Wide = __int128;

/// The smallest unit m, a divisor of `span`, in which `tokens` × (`span` ÷ m) is at most kMaxInteger.
///
/// m is built from the primes that lengths of time are made of, so that it can be found without factoring
/// `span`; the last resort is `span` itself, which fits whatever the numbers are. A coarser unit than needed
/// would only make the limit refill, or slide, in larger steps.
std::int64_t choose_tick(std::int64_t tokens, std::int64_t span) {
  std::vector<std::int64_t> divisors{1};
  for (const std::int64_t prime : {2, 3, 5, 7}) {
    for (std::size_t i = 0; i < divisors.size(); ++i) {
      const std::int64_t next = divisors[i] * prime;
      if (span % next == 0) divisors.push_back(next);
    }
  }
  std::int64_t best = span;
  for (const std::int64_t m : divisors) {
    if (Wide{tokens} * (span / m) <= kMaxInteger) best = std::min(best, m);
  }
  return best;
}

std::optional<std::string> fault_of_number(std::string_view name, std::int64_t value) {
  if (value < 0) return fmt::format("{} {} is negative; write 0 to deny everything", name, value);
  if (value > kMaxInteger) {
    return fmt::format("{} {} is too large; the largest is {}", name, value, kMaxInteger);
  }
  return std::nullopt;
}

std::optional<std::string> fault_of_period(Duration period) {
  if (period < kShortestPeriod)
    return "a period must be at least 1ms; give a smaller count per longer period";
  if (period > kLongestPeriod)
    return "a period must be at most 3660d; give a smaller count per shorter period";
  if (period % 1us != Duration::zero()) return "a period must be a whole number of microseconds";
  return std::nullopt;
}

std::optional<std::string> fault_of_algorithm(const LimitSpec& spec) {
  if (spec.burst != 0 && spec.algorithm != Algorithm::token_bucket) {
    return fmt::format("{} has no burst; leave it out, or use token_bucket", name_of(spec.algorithm));
  }
  if (spec.algorithm == Algorithm::fixed_window) return std::nullopt;
  if (spec.calendar == CalendarUnit::month || spec.calendar == CalendarUnit::year) {
    const bool month = spec.calendar == CalendarUnit::month;
    return fmt::format("{} counts in fixed lengths of time, not calendar {}s; write {}, or use fixed_window",
                       name_of(spec.algorithm), month ? "month" : "year", month ? "30d" : "365d");
  }
  return std::nullopt;
}

/// What the user got wrong, if anything, in a spec whose period is already resolved.
std::optional<std::string> fault_of(const LimitSpec& spec) {
  if (auto fault = fault_of_number("the count", spec.count)) return fault;
  if (auto fault = fault_of_number("the burst", spec.burst)) return fault;
  if (auto fault = fault_of_algorithm(spec)) return fault;
  if (spec.calendar == CalendarUnit::none) return fault_of_period(spec.period);
  return std::nullopt;
}

Duration longest(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::day:
      return 24h;
    case CalendarUnit::month:
      return 24h * 31;
    case CalendarUnit::year:
      return 24h * 366;
    case CalendarUnit::none:
      break;
  }
  return Duration::zero();
}

/// A day is 24 hours for what does not know calendars, and a limit of 0 needs no period: any would do.
LimitSpec resolved(LimitSpec spec) {
  if (spec.calendar == CalendarUnit::day && spec.algorithm != Algorithm::fixed_window) {
    spec.calendar = CalendarUnit::none;
    spec.period = 24h;
  }
  if (spec.calendar != CalendarUnit::none) {
    spec.period = longest(spec.calendar);
  } else if (spec.count == 0 && spec.period == Duration::zero()) {
    spec.period = 1s;
  }
  return spec;
}

std::string_view zone_name(const Calendar* zone) {
  return zone == nullptr ? std::string_view{} : zone->name();
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  constexpr std::array<std::string_view, 4> kNames{"token_bucket", "fixed_window", "sliding_window_log",
                                                   "sliding_window_counter"};
  return kNames.at(static_cast<std::size_t>(std::to_underlying(algorithm)));
}

Result<Limit> Limit::make(const LimitSpec& spec) {
  const LimitSpec words = resolved(spec);
  if (auto fault = fault_of(words)) return failure(*std::move(fault));

  Limit limit;
  limit.algorithm_ = words.algorithm;
  limit.count_ = words.count;
  limit.capacity_ = words.burst > 0 && words.count > 0 ? words.burst : words.count;
  limit.period_ = words.period;
  if (words.calendar != CalendarUnit::none) {
    auto zone = words.zone ? Result<std::shared_ptr<const Calendar>>(words.zone) : load_calendar("UTC");
    if (!zone) return std::unexpected(std::move(zone.error()));
    limit.calendar_ = words.calendar;
    limit.zone_ = *std::move(zone);
    return limit;
  }

  const std::int64_t period_us = words.period / 1us;
  if (words.algorithm == Algorithm::token_bucket) {
    // count ÷ period in lowest terms: so many units flow in per microsecond, and a token is so many units. A
    // tick of m microseconds divides the size of a token by m and leaves the flow per tick as it is.
    const std::int64_t common = std::gcd(words.count, period_us);
    const std::int64_t token = period_us / common;
    limit.tick_us_ = choose_tick(limit.capacity_, token);
    limit.units_per_token_ = token / limit.tick_us_;
    limit.units_per_tick_ = words.count / common;
    SLUICE_ASSERT(limit.capacity_ <= kMaxInteger / limit.units_per_token_);
    return limit;
  }
  if (words.algorithm == Algorithm::sliding_window_counter) {
    limit.tick_us_ = choose_tick(words.count, period_us);
  }
  limit.window_ticks_ = period_us / limit.tick_us_;
  SLUICE_ASSERT(words.algorithm != Algorithm::sliding_window_counter ||
                words.count <= kMaxInteger / limit.window_ticks_);
  if (words.algorithm == Algorithm::sliding_window_log && words.count > kMaxLogEntries) {
    limit.log_granule_ = (limit.window_ticks_ + kMaxLogEntries - 1) / kMaxLogEntries;
  }
  return limit;
}

Limit Limit::part(std::int64_t parts, std::int64_t rank) const {
  SLUICE_ASSERT(rank >= 0 && rank < parts);
  const auto of = [&](std::int64_t whole) { return whole / parts + (rank < whole % parts ? 1 : 0); };
  LimitSpec spec{
      .algorithm = algorithm_, .count = of(count_), .period = period_, .calendar = calendar_, .zone = zone_};
  if (algorithm_ == Algorithm::token_bucket) {
    spec.burst = of(capacity_);
    // Nothing fits into a bucket of no size. (A burst of 0 would mean "as the count".)
    if (spec.burst == 0) spec.count = 0;
  }
  const auto limit = make(spec);
  SLUICE_ASSERT(limit.has_value());
  return *limit;
}

bool Limit::operator==(const Limit& other) const {
  return algorithm_ == other.algorithm_ && calendar_ == other.calendar_ && capacity_ == other.capacity_ &&
         count_ == other.count_ && period_ == other.period_ && tick_us_ == other.tick_us_ &&
         units_per_token_ == other.units_per_token_ && units_per_tick_ == other.units_per_tick_ &&
         window_ticks_ == other.window_ticks_ && log_granule_ == other.log_granule_ &&
         zone_name(zone()) == zone_name(other.zone());
}

}  // namespace sluice::limiter
