// Aim: lists of the last minute are right within the error that they tell, of samples too, and forget what is
// over. Method: streams on virtual time beside exact counts.
#include "observe/sketch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/time.h"

namespace sluice::observe {
namespace {

using namespace std::chrono_literals;

constexpr Instant kStart{1h};

void add(Sketch& sketch, const std::string& key, Instant now, int times = 1, std::uint32_t weight = 1) {
  for (int i = 0; i < times; ++i) sketch.add(key, stable_hash(key), weight, now);
}

std::uint64_t certain(const Sketch& sketch, const std::string& key, std::uint64_t least) {
  return sketch.certain(key, stable_hash(key), least);
}

TEST(Sketch, ListsTheMostFrequentFirst) {
  Sketch sketch(8, kStart);
  add(sketch, "b", kStart, 2);
  add(sketch, "a", kStart, 3);
  add(sketch, "c", kStart + 10s, 2);
  const auto top = sketch.top(2, kStart + 10s);
  ASSERT_EQ(top.size(), 2U);
  EXPECT_EQ(top[0].key, "a");
  EXPECT_EQ(top[0].count, 3U);
  EXPECT_EQ(top[0].error, 0U);
  EXPECT_DOUBLE_EQ(top[0].rate, 0.3);
  EXPECT_EQ(top[1].key, "b");
  EXPECT_EQ(sketch.top(100, kStart + 10s).size(), 3U);
  EXPECT_TRUE(sketch.top(0, kStart + 10s).empty());
}

TEST(Sketch, AddsUpBothHalves) {
  Sketch sketch(8, kStart);
  add(sketch, "a", kStart, 3);
  add(sketch, "old", kStart, 1);
  add(sketch, "a", kStart + 31s, 2);
  add(sketch, "new", kStart + 31s, 1);
  const auto top = sketch.top(10, kStart + 40s);
  ASSERT_EQ(top.size(), 3U);
  EXPECT_EQ(top[0].count, 5U);
  EXPECT_DOUBLE_EQ(top[0].rate, 5.0 / 40);
}

TEST(Sketch, ForgetsWhatIsOver) {
  Sketch sketch(8, kStart);
  add(sketch, "a", kStart, 3);
  EXPECT_EQ(sketch.top(10, kStart + 59s).size(), 1U);
  EXPECT_TRUE(sketch.top(10, kStart + 61s).empty());
  add(sketch, "a", kStart + 62s, 3);
  add(sketch, "b", kStart + 300s);
  EXPECT_EQ(sketch.top(10, kStart + 300s).size(), 1U);
}

TEST(Sketch, KeepsItsBoundsOverTurnsOfTheWindow) {
  std::mt19937 random(4);
  Sketch sketch(32, kStart);
  std::vector<std::map<std::string, std::uint64_t>> halves(1);
  for (int second = 0; second < 300; ++second) {
    const Instant now = kStart + second * 1s;
    if (second > 0 && second % 30 == 0) halves.emplace_back();
    for (int i = 0; i < 200; ++i) {
      const std::string key = std::to_string(random() % (1 + random() % 400));
      add(sketch, key, now);
      ++halves.back()[key];
    }
    if (second % 7 != 0) continue;
    for (const TopKey& top : sketch.top(100, now)) {
      std::uint64_t truth = halves.back()[top.key];
      if (halves.size() > 1) truth += halves[halves.size() - 2][top.key];
      EXPECT_GE(top.count, truth);
      EXPECT_LE(top.count - top.error, truth);
    }
  }
}

TEST(Sketch, IsCertainOfNoMoreThanThereWas) {
  Sketch sketch(2, kStart);
  add(sketch, "a", kStart, 5);
  EXPECT_EQ(certain(sketch, "a", 4), 5U);
  EXPECT_EQ(certain(sketch, "a", 5), 0U);
  EXPECT_EQ(certain(sketch, "b", 0), 0U);
  add(sketch, "a", kStart + 31s, 4);
  EXPECT_EQ(certain(sketch, "a", 8), 9U);
  add(sketch, "b", kStart + 31s, 6);
  add(sketch, "c", kStart + 31s, 1);  // takes over the counter of "a"
  EXPECT_EQ(certain(sketch, "c", 0), 1U);
}

TEST(Sketch, TellsTheErrorOfASample) {
  // Of each of many keys with a known number of occurrences one in 16 is met.
  constexpr std::uint32_t kWeight = 16;
  std::mt19937 random(5);
  int outside = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Sketch sketch(8, kStart);
    const std::uint64_t truth = 1 + random() % 3000;
    for (std::uint64_t i = 0; i < truth; ++i) {
      if (random() % kWeight == 0) add(sketch, "k", kStart, 1, kWeight);
    }
    for (const TopKey& top : sketch.top(1, kStart)) {
      const auto count = static_cast<double>(top.count);
      const auto error = static_cast<double>(top.error);
      const auto real = static_cast<double>(truth);
      if (real > count + error || real < count - error) ++outside;
    }
  }
  EXPECT_LE(outside, kTrials / 200);
}

TEST(SamplingError, IsNoneWhereAllAreMet) {
  EXPECT_EQ(sampling_error(1000, 1), 0U);
  EXPECT_GT(sampling_error(1000, 2), 0U);
  // Of many it is about three deviations: √(16 · 160 000) = 1600.
  EXPECT_NEAR(static_cast<double>(sampling_error(160'000, 16)), 4800, 100);
}

}  // namespace
}  // namespace sluice::observe
