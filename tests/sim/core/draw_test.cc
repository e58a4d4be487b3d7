// Aim: draws depend on seed and purpose alone, keep their bounds, and have the shapes they claim. Method:
// known first values, extreme bounds, and counts over many draws of fixed seeds, far from the edge of chance.
#include "sim/core/draw.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/time.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

constexpr int kDraws = 100'000;
constexpr double kAll = kDraws;

TEST(Draw, IsSplitMix64) {
  // Published first values for the seed 1234567.
  Draw draw(1'234'567);
  EXPECT_EQ(draw.next(), 6'457'827'717'110'365'317U);
  EXPECT_EQ(draw.next(), 3'203'168'211'198'807'973U);
}

TEST(Draw, ForksDependOnSeedAndPurposeNotOnWhatWasDrawn) {
  Draw draw(1);
  const auto before = draw.fork(5).next();
  static_cast<void>(draw.next());
  EXPECT_EQ(draw.fork(5).next(), before);
  EXPECT_NE(draw.fork(6).next(), before);
  EXPECT_NE(Draw(2).fork(5).next(), before);
  EXPECT_NE(draw.fork(5).fork(5).next(), before);
}

TEST(Draw, KeepsBounds) {
  Draw draw(3);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kDraws; ++i) {
    ASSERT_EQ(draw.below(1), 0U);
    ASSERT_LT(draw.below(7), 7U);
    const auto small = draw.between(-2, 2);
    ASSERT_TRUE(small >= -2 && small <= 2);
    ASSERT_GE(draw.between(kMost - 1, kMost), kMost - 1);
    const auto log = draw.log_between(3, 1000);
    ASSERT_TRUE(log >= 3 && log <= 1000);
    ASSERT_GE(draw.log_between(1, kMost), 1);
    const auto wait = draw.exponential(1s);
    ASSERT_TRUE(wait >= 0s && wait <= 20s);
  }
  EXPECT_NE(draw.between(kLeast, kMost), draw.between(kLeast, kMost));
  EXPECT_EQ(draw.between(5, 5), 5);
  EXPECT_EQ(draw.log_between(5, 5), 5);
  EXPECT_FALSE(draw.chance(0));
  EXPECT_TRUE(draw.chance(1));
}

TEST(Draw, IsUniform) {
  Draw draw(4);
  std::array<int, 5> seen{};
  for (int i = 0; i < kDraws; ++i) ++seen.at(static_cast<std::size_t>(draw.between(-2, 2) + 2));
  for (const int count : seen) EXPECT_NEAR(count, kAll / 5, kAll / 100);
}

TEST(Draw, OrdersOfMagnitudeAreEquallyLikely) {
  Draw draw(5);
  std::array<int, 3> seen{};
  for (int i = 0; i < kDraws; ++i) {
    const auto value = draw.log_between(1us, 1ms);
    ++seen.at(value < 10us ? 0 : value < 100us ? 1 : 2);
  }
  for (const int count : seen) EXPECT_NEAR(count, kAll / 3, kAll / 50);
}

TEST(Draw, ExponentialHasItsMeanAndForgets) {
  Draw draw(6);
  Duration sum{};
  int over_one = 0;
  int over_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto wait = draw.exponential(1s);
    sum += wait;
    over_one += wait > 1s ? 1 : 0;
    over_two += wait > 2s ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(sum.count()) / kDraws, 1e9, 2e7);
  EXPECT_NEAR(over_one, kAll * 0.3679, kAll / 100);
  EXPECT_NEAR(over_two, kAll * 0.1353, kAll / 100);
}

}  // namespace
}  // namespace sluice::sim
