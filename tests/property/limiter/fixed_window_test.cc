// Aim: no window, of fixed length or of the calendar, admits more than its limit, and all answers are exact.
// Method: random walks beside an oracle that is a map from windows to what was admitted in them. Its calendar
// is <chrono>'s, not the one of the code.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "property/limiter/walk.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

/// A number for the window that holds `now`; later windows have larger ones.
std::int64_t window_number(const Limit& limit, WallTime now) {
  if (limit.calendar_unit() == CalendarUnit::none) return now.time_since_epoch() / limit.period();
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(now));
  std::int64_t number = int{date.year()};
  if (limit.calendar_unit() != CalendarUnit::year) number = number * 12 + unsigned{date.month()};
  if (limit.calendar_unit() == CalendarUnit::day) number = number * 31 + unsigned{date.day()};
  return number;
}

class WindowOracle {
 public:
  explicit WindowOracle(const Limit& limit) : limit_(limit) {}

  [[nodiscard]] bool admits(WallTime now, std::int64_t cost) const {
    return used(now) + cost <= limit_.count();
  }
  [[nodiscard]] std::int64_t remaining(WallTime now) const {
    return static_cast<std::int64_t>(limit_.count() - used(now));
  }
  [[nodiscard]] bool full(WallTime now) const { return used(now) == 0; }
  void add(WallTime now, std::int64_t cost) { admitted_[current(now)] += cost; }
  void check_promise() const {
    for (const auto& [window, sum] : admitted_) ASSERT_TRUE(sum <= limit_.count()) << "window " << window;
  }

 private:
  [[nodiscard]] std::int64_t current(WallTime now) const {
    const std::int64_t number = window_number(limit_, now);
    return admitted_.empty() ? number : std::max(number, admitted_.rbegin()->first);
  }
  [[nodiscard]] Wide used(WallTime now) const {
    const auto found = admitted_.find(current(now));
    return found == admitted_.end() ? 0 : found->second;
  }

  const Limit& limit_;
  std::map<std::int64_t, Wide> admitted_;
};

TEST(FixedWindowProperty, AgreesWithTheOracle) {
  walk_many<WindowOracle>(3'000'000, [](Dice& dice) {
    return make(Algorithm::fixed_window, random_count(dice), random_period(dice));
  });
}

TEST(FixedWindowProperty, CalendarsAgreeWithTheOracle) {
  walk_many<WindowOracle>(4'000'000, [](Dice& dice) {
    return calendar_window(
        random_count(dice),
        dice.pick<CalendarUnit>({CalendarUnit::day, CalendarUnit::month, CalendarUnit::year}));
  });
}

}  // namespace
}  // namespace sluice::limiter
