#include "limiter/calendar.h"

#include <date/date.h>
#include <date/tz.h>
#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/result.h"
#include "base/text.h"
#include "base/time.h"

namespace sluice::limiter {
namespace {

using std::chrono::seconds;

/// Seconds reach further than WallTime's nanoseconds: the last window of all is cut short.
WallTime to_wall(date::sys_seconds t) {
  const seconds s = t.time_since_epoch();
  if (s >= std::chrono::floor<seconds>(Duration::max())) return WallTime::max();
  if (s <= std::chrono::ceil<seconds>(Duration::min())) return WallTime::min();
  return WallTime(s);
}

/// First day of the unit that holds `day`.
date::year_month_day first_day(date::local_days day, CalendarUnit unit) {
  const date::year_month_day ymd(day);
  switch (unit) {
    case CalendarUnit::year:
      return ymd.year() / date::January / 1;
    case CalendarUnit::month:
      return ymd.year() / ymd.month() / 1;
    case CalendarUnit::day:
    case CalendarUnit::none:
      break;
  }
  return ymd;
}

/// First day of the unit after the one that begins with `first`.
date::local_days next_first_day(date::year_month_day first, CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::year:
      return date::local_days(first + date::years(1));
    case CalendarUnit::month:
      return date::local_days(first + date::months(1));
    case CalendarUnit::day:
    case CalendarUnit::none:
      break;
  }
  return date::local_days(first) + date::days(1);
}

class CivilCalendar final : public Calendar {
 public:
  /// `zone` lives as long as the program, in the library's database; null is UTC.
  CivilCalendar(std::string name, const date::time_zone* zone) : name_(std::move(name)), zone_(zone) {}

  [[nodiscard]] std::string_view name() const override { return name_; }

  [[nodiscard]] Window window_at(WallTime now, CalendarUnit unit) const override {
    SLUICE_ASSERT(unit != CalendarUnit::none);
    const auto first = first_day(local_date(now), unit);
    date::local_days next = next_first_day(first, unit);
    Window window{.start = to_wall(begin_of(date::local_days(first))), .end = to_wall(begin_of(next))};
    // Clocks set back across midnight repeat the end of a date after the next one has begun; that repetition
    // belongs to the window that is already open.
    while (now >= window.end && window.end != WallTime::max()) {
      next = next_first_day(date::year_month_day(next), unit);
      window = {.start = window.end, .end = to_wall(begin_of(next))};
    }
    return window;
  }

 private:
  [[nodiscard]] date::local_days local_date(WallTime now) const {
    const date::sys_seconds second = std::chrono::floor<seconds>(now);
    const seconds offset = zone_ == nullptr ? seconds::zero() : zone_->get_info(second).offset;
    return date::local_days(std::chrono::floor<date::days>(second.time_since_epoch() + offset));
  }

  /// The first instant whose local date is `day`, or, where that date was skipped, the first one after it.
  [[nodiscard]] date::sys_seconds begin_of(date::local_days day) const {
    const date::local_seconds midnight = day;
    if (zone_ == nullptr) return date::sys_seconds(midnight.time_since_epoch());
    const date::local_info info = zone_->get_info(midnight);
    // A midnight that does not exist lies in the gap that ends when the second offset begins.
    if (info.result == date::local_info::nonexistent) return info.second.begin;
    return date::sys_seconds(midnight.time_since_epoch() - info.first.offset);
  }

  std::string name_;
  const date::time_zone* zone_;
};

}  // namespace

Result<std::shared_ptr<const Calendar>> load_calendar(std::string_view iana_name) {
  if (iana_name == "UTC") return std::make_shared<const CivilCalendar>("UTC", nullptr);
  try {
    const date::time_zone* zone = date::locate_zone(iana_name);
    // The library reads a zone's file at its first use: do it now, where a failure can still be told.
    static_cast<void>(zone->get_info(date::sys_seconds{}));
    return std::make_shared<const CivilCalendar>(std::string(iana_name), zone);
  } catch (const std::exception& e) {
    return failure(
        fmt::format("time zone \"{}\" is unknown on this machine ({}); use an IANA name such as "
                    "\"Europe/Berlin\", and see that "
                    "the package tzdata is installed",
                    printable(iana_name), printable(e.what(), 120)));
  }
}

}  // namespace sluice::limiter
