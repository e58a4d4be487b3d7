// A limit: what a rule promises, compiled into the integers that the algorithms compute with.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "limiter/calendar.h"

namespace sluice::limiter {

/// Largest integer any state, cost or limit may hold: Lua's numbers are doubles, and the scripts that run in
/// Redis must agree with this code bit for bit.
inline constexpr std::int64_t kMaxInteger = (std::int64_t{1} << 53) - 1;

enum class Algorithm : std::uint8_t {
  token_bucket,
  fixed_window,
  sliding_window_log,
  sliding_window_counter
};

[[nodiscard]] std::string_view name_of(Algorithm algorithm);

/// The words of the configuration, before they are checked against each other.
struct LimitSpec {
  Algorithm algorithm = Algorithm::token_bucket;
  std::int64_t count = 0;                      ///< tokens per period; 0 denies all
  Duration period{};                           ///< length of the period; ignored when `calendar` is set
  CalendarUnit calendar = CalendarUnit::none;  ///< fixed windows only: civil day, month or year
  std::shared_ptr<const Calendar> zone{};      ///< whose civil time; null means UTC
  std::int64_t burst = 0;  ///< token bucket: its capacity; 0 means `count`. Others must leave it 0
};

/// Immutable and cheap to copy. Fields are what notes in limit.cc derive them from; all ≤ kMaxInteger.
class Limit {
 public:
  /// Refuses (with a sentence for the user) negative or too large numbers, periods under 1 ms or that are not
  /// whole microseconds or over 3,660 days, and a burst, a month or a year where the algorithm has none (a
  /// day is 24 h there). Every count and period fits: see choose_tick. A count of 0 needs no period, and
  /// ignores a burst.
  [[nodiscard]] static Result<Limit> make(const LimitSpec& spec);

  [[nodiscard]] Algorithm algorithm() const { return algorithm_; }
  /// The number a user is shown as "limit": the capacity of a bucket, the count of a window.
  /// A cost above it can never pass.
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  /// Tokens per period as configured.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Length of the period (of the longest one, for calendar windows: 1, 31 or 366 days).
  [[nodiscard]] Duration period() const { return period_; }
  [[nodiscard]] CalendarUnit calendar_unit() const { return calendar_; }
  [[nodiscard]] const Calendar* zone() const { return zone_.get(); }

  /// The unit of time this limit is computed in, in microseconds (a power-smooth divisor of its period).
  [[nodiscard]] std::int64_t tick_us() const { return tick_us_; }
  /// Token bucket: one token is this many units, and this many units flow in per tick; capacity × units fits.
  [[nodiscard]] std::int64_t units_per_token() const { return units_per_token_; }
  [[nodiscard]] std::int64_t units_per_tick() const { return units_per_tick_; }
  /// Windows of fixed length, in ticks.
  [[nodiscard]] std::int64_t window_ticks() const { return window_ticks_; }
  /// Sliding log: entries are stamped with a multiple of this many ticks, rounded up, which bounds their
  /// number at kMaxLogEntries + 1. It is 1 (exact) for limits up to kMaxLogEntries.
  [[nodiscard]] std::int64_t log_granule() const { return log_granule_; }

  /// Same promise, same arithmetic: a state of one may be used with the other as it is. Zones are compared by
  /// name, for a reload makes new Calendar objects.
  [[nodiscard]] bool operator==(const Limit& other) const;

  /// The part of this limit that number `rank` (0 … parts − 1) of `parts` equal holders keeps: whole tokens,
  /// and those that do not divide evenly go to the lowest ranks, so that all parts sum up to the limit.
  [[nodiscard]] Limit part(std::int64_t parts, std::int64_t rank) const;

  static constexpr std::int64_t kMaxLogEntries = 1000;

 private:
  Limit() = default;
  Algorithm algorithm_{};
  CalendarUnit calendar_{};
  std::int64_t capacity_ = 0;
  std::int64_t count_ = 0;
  Duration period_{};
  std::shared_ptr<const Calendar> zone_;
  std::int64_t tick_us_ = 1;
  std::int64_t units_per_token_ = 1;
  std::int64_t units_per_tick_ = 0;
  std::int64_t window_ticks_ = 0;
  std::int64_t log_granule_ = 1;
};

}  // namespace sluice::limiter
