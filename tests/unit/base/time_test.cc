// Aim: durations are read and written exactly, and rounded up where a client is told to wait. Method: tables.
#include "base/time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace sluice {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ParsesWholeNumbersWithAUnit) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("0s"), 0s);
  EXPECT_EQ(parse_duration("7us"), 7us);
  EXPECT_EQ(parse_duration("15m"), 15min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("365d"), 24h * 365);
}

TEST(Duration, RefusesEverythingElse) {
  for (const char* text : {"", "s", "5", "1.5s", "-1s", "+1s", " 1s", "1s ", "1 s", "1S", "1min", "1ns", "1w",
                           "99999999999999999999s", "9223372036854775807d", "0x1s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, FormatsInTheLargestExactUnit) {
  EXPECT_EQ(format_duration(60s), "1m");
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(48h), "2d");
  EXPECT_EQ(format_duration(0ns), "0s");
  for (const Duration d : {Duration(1us), Duration(999ms), Duration(3601s), Duration(25h)}) {
    EXPECT_EQ(parse_duration(format_duration(d)), d);
  }
}

TEST(Duration, RoundsUpSoThatNobodyComesBackTooEarly) {
  EXPECT_EQ(ceil_milliseconds(0ns), 0);
  EXPECT_EQ(ceil_milliseconds(1ns), 1);
  EXPECT_EQ(ceil_milliseconds(1ms), 1);
  EXPECT_EQ(ceil_milliseconds(1ms + 1ns), 2);
  EXPECT_EQ(ceil_seconds(1000400us), 2);
  EXPECT_EQ(ceil_seconds(kNever), -1);
  EXPECT_EQ(ceil_milliseconds(Duration::max()), 9223372036855);
}

}  // namespace
}  // namespace sluice
