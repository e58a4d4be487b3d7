// Aim: numbers read at a glance and never claim more than they know. Method: exact texts, in tables.
#include "ctl/units.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace sluice::ctl {
namespace {

TEST(Units, Counts) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(count_text(9'999'999), "9,999,999");
  EXPECT_EQ(count_text(48'211'930), "48.21M");
  EXPECT_EQ(count_text(7.2e9), "7.2G");
  EXPECT_EQ(count_text(3e15), "3000T");
  EXPECT_EQ(count_text(std::nullopt), "-");
}

TEST(Units, Rates) {
  EXPECT_EQ(rate_text(0), "0");
  EXPECT_EQ(rate_text(0.04), "0.0");
  EXPECT_EQ(rate_text(4.23), "4.2");
  EXPECT_EQ(rate_text(9.96), "10");
  EXPECT_EQ(rate_text(12345.6), "12,346");
  EXPECT_EQ(rate_text(std::nullopt), "-");
}

TEST(Units, SharesNearNothingAndNearAllAreNeither) {
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(percent_text(0.004), "0.4 %");
  EXPECT_EQ(percent_text(0.5), "50 %");
  EXPECT_EQ(percent_text(0.99997), "99.99 %");
  EXPECT_EQ(percent_text(1), "100 %");
  EXPECT_EQ(percent_text(1.5), "150 %");
  EXPECT_EQ(percent_text(std::nullopt), "-");
}

TEST(Units, Times) {
  EXPECT_EQ(micros_text(2.2), "2 us");
  EXPECT_EQ(micros_text(2350), "2.35 ms");
  EXPECT_EQ(micros_text(1.2e6), "1.2 s");
  EXPECT_EQ(micros_text(std::nullopt), "-");
  EXPECT_EQ(span_text(90), "90 s");
  EXPECT_EQ(span_text(150), "2 min");
  EXPECT_EQ(span_text(93'211), "25 h");
  EXPECT_EQ(span_text(864'000), "10 days");
  EXPECT_EQ(clock_text(std::nullopt), "-");
  EXPECT_EQ(clock_text(1e300), "-");
  EXPECT_EQ(clock_text(1.8e12).size(), std::string("03:20:07").size());
}

}  // namespace
}  // namespace sluice::ctl
