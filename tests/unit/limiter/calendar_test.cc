// Aim: civil windows begin and end where the wall clocks of the zone say, also on the odd days.
// Method: known transitions of the tz database, written in UTC; and a walk that checks that windows tile
// time.
#include "limiter/calendar.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "base/time.h"

namespace sluice::limiter {
namespace {

using namespace std::chrono_literals;
using std::chrono::day;
using std::chrono::month;
using std::chrono::year;

WallTime utc(int y, unsigned m, unsigned d, Duration time_of_day = 0s) {
  return WallTime(std::chrono::sys_days(year(y) / month(m) / day(d))) + time_of_day;
}

Window window(std::string_view zone, WallTime now, CalendarUnit unit) {
  const auto calendar = load_calendar(zone);
  EXPECT_TRUE(calendar) << calendar.error().message;
  return (*calendar)->window_at(now, unit);
}

void expect_window(std::string_view zone, WallTime now, CalendarUnit unit, WallTime start, WallTime end) {
  const Window found = window(zone, now, unit);
  EXPECT_EQ(found.start.time_since_epoch() / 1s, start.time_since_epoch() / 1s) << zone;
  EXPECT_EQ(found.end.time_since_epoch() / 1s, end.time_since_epoch() / 1s) << zone;
}

TEST(Calendar, HalfOpenInUtc) {
  expect_window("UTC", utc(2026, 3, 5), CalendarUnit::day, utc(2026, 3, 5), utc(2026, 3, 6));
  expect_window("UTC", utc(2026, 3, 6) - 1ns, CalendarUnit::day, utc(2026, 3, 5), utc(2026, 3, 6));
  expect_window("UTC", utc(2026, 3, 6), CalendarUnit::day, utc(2026, 3, 6), utc(2026, 3, 7));
  expect_window("UTC", utc(1969, 12, 31, 5h), CalendarUnit::day, utc(1969, 12, 31), utc(1970, 1, 1));
}

TEST(Calendar, MonthsAndYearsHaveTheirLengths) {
  EXPECT_EQ(window("UTC", utc(2026, 2, 9), CalendarUnit::month).end, utc(2026, 3, 1));
  EXPECT_EQ(window("UTC", utc(2028, 2, 29), CalendarUnit::month).end, utc(2028, 3, 1));
  EXPECT_EQ(window("UTC", utc(2100, 2, 28), CalendarUnit::month).end, utc(2100, 3, 1));
  const int days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  for (unsigned m = 1; m <= 12; ++m) {
    const Window w = window("UTC", utc(2028, m, 15, 7h), CalendarUnit::month);
    EXPECT_EQ(w.start, utc(2028, m, 1));
    EXPECT_EQ((w.end - w.start) / 24h, days[m - 1]);
  }
  expect_window("UTC", utc(2027, 12, 31, 23h), CalendarUnit::year, utc(2027, 1, 1), utc(2028, 1, 1));
  expect_window("UTC", utc(2028, 12, 31), CalendarUnit::month, utc(2028, 12, 1), utc(2029, 1, 1));
  const Window leap = window("UTC", utc(2028, 5, 5), CalendarUnit::year);
  EXPECT_EQ((leap.end - leap.start) / 24h, 366);
  const Window not_leap = window("UTC", utc(2100, 5, 5), CalendarUnit::year);
  EXPECT_EQ((not_leap.end - not_leap.start) / 24h, 365);
}

TEST(Calendar, DaysOfASwitchHave23And25Hours) {
  expect_window("Europe/Berlin", utc(2026, 3, 29, 12h), CalendarUnit::day, utc(2026, 3, 28, 23h),
                utc(2026, 3, 29, 22h));
  expect_window("Europe/Berlin", utc(2026, 10, 25, 1h), CalendarUnit::day, utc(2026, 10, 24, 22h),
                utc(2026, 10, 25, 23h));
  expect_window("Europe/Berlin", utc(2026, 10, 25, 12h), CalendarUnit::month, utc(2026, 9, 30, 22h),
                utc(2026, 10, 31, 23h));
  expect_window("Europe/Berlin", utc(2026, 7, 1), CalendarUnit::year, utc(2025, 12, 31, 23h),
                utc(2026, 12, 31, 23h));
}

TEST(Calendar, ADayWithoutMidnightBeginsWithItsFirstMoment) {
  // 2018-11-04 began at 01:00 in Sao Paulo, 2022-03-27 in Beirut.
  expect_window("America/Sao_Paulo", utc(2018, 11, 4, 5h), CalendarUnit::day, utc(2018, 11, 4, 3h),
                utc(2018, 11, 5, 2h));
  expect_window("America/Sao_Paulo", utc(2018, 11, 4, 3h) - 1ns, CalendarUnit::day, utc(2018, 11, 3, 3h),
                utc(2018, 11, 4, 3h));
  expect_window("Asia/Beirut", utc(2022, 3, 27, 3h), CalendarUnit::day, utc(2022, 3, 26, 22h),
                utc(2022, 3, 27, 21h));
}

TEST(Calendar, AGapThatBeginsBeforeMidnightEndsTheDayEarly) {
  // Toronto set its clocks from 23:30 of 1919-03-30 to 00:30 of 1919-03-31.
  const WallTime gap = utc(1919, 3, 31, 4h + 30min);
  expect_window("America/Toronto", gap, CalendarUnit::day, gap, utc(1919, 4, 1, 4h));
  expect_window("America/Toronto", gap - 1ns, CalendarUnit::day, utc(1919, 3, 30, 5h), gap);
}

TEST(Calendar, ASkippedDateHasNoWindow) {
  // Samoa went from 2011-12-29 to 2011-12-31.
  expect_window("Pacific/Apia", utc(2011, 12, 30, 9h), CalendarUnit::day, utc(2011, 12, 29, 10h),
                utc(2011, 12, 30, 10h));
  expect_window("Pacific/Apia", utc(2011, 12, 30, 10h), CalendarUnit::day, utc(2011, 12, 30, 10h),
                utc(2011, 12, 31, 10h));
  expect_window("Pacific/Apia", utc(2011, 12, 30, 10h), CalendarUnit::year, utc(2011, 1, 1, 10h),
                utc(2011, 12, 31, 10h));
}

TEST(Calendar, MidnightThatComesTwiceCountsOnce) {
  // St. John's set its clocks from 00:01 back to 23:01 of the day before: that hour belongs to the day begun.
  const WallTime first_midnight = utc(2006, 10, 29, 2h + 30min);
  expect_window("America/St_Johns", first_midnight + 30s, CalendarUnit::day, first_midnight,
                utc(2006, 10, 30, 3h + 30min));
  expect_window("America/St_Johns", first_midnight + 30min, CalendarUnit::day, first_midnight,
                utc(2006, 10, 30, 3h + 30min));
}

TEST(Calendar, WindowsTileTime) {
  for (const char* zone : {"UTC", "Europe/Berlin", "America/Sao_Paulo", "America/St_Johns", "Pacific/Apia",
                           "Asia/Beirut", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca"}) {
    const auto calendar = load_calendar(zone);
    ASSERT_TRUE(calendar) << calendar.error().message;
    EXPECT_EQ((*calendar)->name(), zone);
    for (const CalendarUnit unit : {CalendarUnit::day, CalendarUnit::month, CalendarUnit::year}) {
      WallTime now = utc(1969, 6, 1);
      Window last = (*calendar)->window_at(now, unit);
      for (int i = 0; i < 25'000 && now < utc(2037, 1, 1); ++i) {
        const Window next = (*calendar)->window_at(last.end, unit);
        ASSERT_EQ(next.start, last.end) << zone;
        ASSERT_LT(next.start, next.end) << zone;
        ASSERT_EQ((*calendar)->window_at(last.end - 1ns, unit).start, last.start) << zone;
        ASSERT_EQ((*calendar)->window_at(next.start + (next.end - next.start) / 2, unit).end, next.end)
            << zone;
        last = next;
        now = next.start;
      }
    }
  }
}

TEST(Calendar, TheEndsOfTimeAreCutShort) {
  for (const char* zone : {"UTC", "Europe/Berlin", "Pacific/Apia"}) {
    EXPECT_EQ(window(zone, WallTime::max(), CalendarUnit::year).end, WallTime::max());
    EXPECT_EQ(window(zone, WallTime::min(), CalendarUnit::year).start, WallTime::min());
  }
}

TEST(Calendar, UnknownZonesAreNamed) {
  for (const std::string zone : {"Europe/Berlni", "", "../etc/passwd", "utc+1", "zone.tab"}) {
    const auto calendar = load_calendar(zone);
    ASSERT_FALSE(calendar) << zone;
    EXPECT_NE(calendar.error().message.find('"' + zone + '"'), std::string::npos) << calendar.error().message;
  }
}

}  // namespace
}  // namespace sluice::limiter
