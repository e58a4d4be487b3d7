// Aim: rates are read as people write them, and nothing else is.
// Method: tables of good and bad texts.
#include "limiter/rate.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "limiter/calendar.h"

namespace sluice::limiter {
namespace {

using namespace std::chrono_literals;

struct Good {
  std::string_view text;
  std::int64_t count;
  Duration period;
  CalendarUnit unit = CalendarUnit::none;
};

constexpr Good kGood[] = {
    {"100/minute", 100, 1min},
    {"100/minutes", 100, 1min},
    {"7/min", 7, 1min},
    {"7/m", 7, 1min},
    {"5/s", 5, 1s},
    {"5/second", 5, 1s},
    {"5/seconds", 5, 1s},
    {"5/sec", 5, 1s},
    {"1/h", 1, 1h},
    {"1/hr", 1, 1h},
    {"1/hour", 1, 1h},
    {"1/hours", 1, 1h},
    {"1/d", 1, 24h},
    {"1/24h", 1, 24h},
    {"1000000/day", 1'000'000, 24h, CalendarUnit::day},
    {"2/days", 2, 24h, CalendarUnit::day},
    {"3/month", 3, 0s, CalendarUnit::month},
    {"3/months", 3, 0s, CalendarUnit::month},
    {"3/year", 3, 0s, CalendarUnit::year},
    {"3/years", 3, 0s, CalendarUnit::year},
    {"10/15m", 10, 15min},
    {"10/1d", 10, 24h},
    {"10/30d", 10, 24h * 30},
    {"10/250ms", 10, 250ms},
    {"10/1500us", 10, 1500us},
    {"0/s", 0, 1s},
    {"007/s", 7, 1s},
    {"9007199254740991/s", 9'007'199'254'740'991, 1s},
};

TEST(Rate, ReadsGoodTexts) {
  for (const Good& good : kGood) {
    const auto rate = parse_rate(good.text);
    ASSERT_TRUE(rate) << good.text << ": " << rate.error().message;
    EXPECT_EQ(rate->count, good.count) << good.text;
    EXPECT_EQ(rate->period, good.period) << good.text;
    EXPECT_EQ(rate->unit, good.unit) << good.text;
  }
}

struct Bad {
  std::string_view text;
  std::string_view part_of_error;
};

constexpr Bad kBad[] = {
    {"", "no \"/\""},
    {"100", "no \"/\""},
    {"unlimited", "no \"/\""},
    {"/s", "whole number"},
    {"1.5/s", "whole number"},
    {"+5/s", "whole number"},
    {" 5/s", "whole number"},
    {"5 /s", "whole number"},
    {"1e3/s", "whole number"},
    {"1_000/s", "whole number"},
    {"9007199254740992/s", "9007199254740991"},
    {"99999999999999999999/s", "9007199254740991"},
    {"-5/s", "negative"},
    {"-0/s", "negative"},
    {"5/", "neither a unit"},
    {"5/ s", "neither a unit"},
    {"5/s ", "neither a unit"},
    {"5/S", "neither a unit"},
    {"5/1.5s", "neither a unit"},
    {"5/-1s", "neither a unit"},
    {"5/2months", "neither a unit"},
    {"5/s/s", "neither a unit"},
    {"5/minit", "did you mean \"minute\""},
    {"5/Month", "did you mean \"month\""},
    {"5/99999999999d", "neither a unit"},
    {"5/0s", "longer than 0"},
    {"5/15", "neither a unit"},
};

TEST(Rate, RefusesBadTextsAndShowsAGoodOne) {
  for (const Bad& bad : kBad) {
    const auto rate = parse_rate(bad.text);
    ASSERT_FALSE(rate) << bad.text;
    EXPECT_NE(rate.error().message.find(bad.part_of_error), std::string_view::npos)
        << bad.text << ": " << rate.error().message;
    EXPECT_NE(rate.error().message.find("\"100/minute\""), std::string_view::npos) << bad.text;
  }
}

TEST(Rate, ErrorsArePrintable) {
  const auto rate = parse_rate(std::string_view("5/\x00\xff\n", 5));
  ASSERT_FALSE(rate);
  for (const char c : rate.error().message) EXPECT_TRUE(c >= ' ' && c <= '~');
}

}  // namespace
}  // namespace sluice::limiter
