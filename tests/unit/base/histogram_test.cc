// Aim: a histogram counts each value in its bucket and estimates quantiles within it. Method: small
// histograms by hand, and the exact quantiles of a known stream.
#include "base/histogram.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace sluice {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::int64_t, 3> kSmall = {1, 10, 100};
using Small = Histogram<kSmall>;

std::vector<std::uint64_t> counts(const HistogramView& view) {
  return {view.counts.begin(), view.counts.end()};
}

TEST(Histogram, PutsABoundIntoItsOwnBucket) {
  Small small;
  for (const std::int64_t value : {0, 1, 2, 10, 11, 100, 101, 5000}) small.record(value);
  EXPECT_EQ(counts(small.view()), (std::vector<std::uint64_t>{2, 2, 2, 2}));
  EXPECT_EQ(small.view().count, 8U);
  EXPECT_EQ(small.view().sum, 5225);
}

TEST(Histogram, HasNoQuantileOfNothing) {
  EXPECT_FALSE(Small{}.view().quantile(0.5));
}

TEST(Histogram, InterpolatesWithinTheBucket) {
  Small small;
  for (int i = 0; i < 10; ++i) small.record(5);
  EXPECT_DOUBLE_EQ(*small.view().quantile(0.5), 5.5);
  EXPECT_DOUBLE_EQ(*small.view().quantile(1), 10);
  EXPECT_DOUBLE_EQ(*small.view().quantile(0), 1);
}

TEST(Histogram, KnowsNoMoreThanItsLastBound) {
  Small small;
  small.record(5000);
  EXPECT_DOUBLE_EQ(*small.view().quantile(0.5), 100);
}

TEST(Histogram, ErrsByNoMoreThanOneBucket) {
  LatencyHistogram latency;
  for (int i = 1; i <= 100'000; ++i) latency.record(std::chrono::nanoseconds{i * 1000});  // 1 µs … 100 ms
  EXPECT_NEAR(*latency.view().quantile(0.5), 50e6, 10e6);
  EXPECT_NEAR(*latency.view().quantile(0.99), 99e6, 5e6);
}

TEST(Histogram, TellsWhatCameSinceASnapshot) {
  Small small;
  small.record(5);
  const Small before = small;
  small.record(50);
  small.record(500);
  const Small after = small.since(before);
  EXPECT_EQ(counts(after.view()), (std::vector<std::uint64_t>{0, 0, 1, 1}));
  EXPECT_EQ(after.view().sum, 550);
  EXPECT_EQ(after.count(), 2U);
}

TEST(Histogram, SurvivesSumsThatOverflow) {
  Small small;
  small.record(std::numeric_limits<std::int64_t>::max());
  small.record(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(small.count(), 2U);
}

TEST(Latencies, AreRecordedInNanoseconds) {
  LatencyHistogram latency;
  latency.record(1ms);
  EXPECT_EQ(latency.view().sum, 1'000'000);
}

}  // namespace
}  // namespace sluice
