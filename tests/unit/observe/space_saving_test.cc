// Aim: the counts of a stream's most frequent keys keep the bounds that are promised, whatever the stream.
// Method: skewed, flat and hostile streams beside exact counts; hashes that all collide.
#include "observe/space_saving.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/hash.h"

namespace sluice::observe {
namespace {

using Exact = std::map<std::string, std::uint64_t>;

/// Feeds both, and holds the one against the other.
class Pair {
 public:
  explicit Pair(std::size_t capacity) : capacity_(capacity), sketch_(capacity) {}

  void add(const std::string& key, std::uint64_t weight = 1) {
    const Estimate estimate = sketch_.add(key, stable_hash(key), weight);
    exact_[key] += weight;
    total_ += weight;
    EXPECT_GE(estimate.count, exact_[key]);
    EXPECT_LE(estimate.count - estimate.error, exact_[key]);
  }

  void expect_bounds() const {
    EXPECT_LE(sketch_.counters().size(), capacity_);
    std::uint64_t sum = 0;
    for (const SpaceSaving::Counter& counter : sketch_.counters()) {
      const std::uint64_t truth = exact_.at(counter.key);
      EXPECT_GE(counter.count, truth) << counter.key;
      EXPECT_LE(counter.count - counter.error, truth) << counter.key;
      EXPECT_LE(counter.error, total_ / capacity_) << counter.key;
      sum += counter.count;
    }
    EXPECT_EQ(sum, total_);
    for (const auto& [key, truth] : exact_) {
      const Estimate estimate = sketch_.estimate(key, stable_hash(key));
      EXPECT_GE(estimate.count, truth) << key;
      EXPECT_LE(estimate.count - estimate.error, truth) << key;
      if (truth > total_ / capacity_) {
        EXPECT_TRUE(sketch_.holds(key, stable_hash(key))) << key;
      }
    }
  }

 private:
  std::size_t capacity_;
  SpaceSaving sketch_;
  Exact exact_;
  std::uint64_t total_ = 0;
};

class Streams : public testing::TestWithParam<std::size_t> {};

TEST_P(Streams, OfZipfKeepTheBounds) {
  std::mt19937 random(1);
  std::vector<double> weights;
  for (int i = 1; i <= 2000; ++i) weights.push_back(1.0 / i);
  std::discrete_distribution<int> zipf(weights.begin(), weights.end());
  Pair pair(GetParam());
  for (int i = 0; i < 60'000; ++i) pair.add(std::to_string(zipf(random)));
  pair.expect_bounds();
}

TEST_P(Streams, InWhichAllAreEqualKeepTheBounds) {
  Pair pair(GetParam());
  for (int i = 0; i < 30'000; ++i) pair.add(std::to_string(i % 700));
  pair.expect_bounds();
}

TEST_P(Streams, OfEverNewKeysCannotHideOneThatComesOften) {
  Pair pair(GetParam());
  for (int i = 0; i < 30'000; ++i) {
    pair.add("new" + std::to_string(i));
    if (i % static_cast<int>(GetParam()) == 0) pair.add("often", 2);
  }
  pair.expect_bounds();
}

TEST_P(Streams, OfMixedWeightsKeepTheBounds) {
  std::mt19937 random(2);
  Pair pair(GetParam());
  for (int i = 0; i < 30'000; ++i) pair.add(std::to_string(random() % 300), i % 3 == 0 ? 16 : 1);
  pair.expect_bounds();
}

INSTANTIATE_TEST_SUITE_P(Capacities, Streams, testing::Values(1, 2, 8, 64, 1000));

TEST(SpaceSaving, FindsKeysWhoseHashesAreEqual) {
  SpaceSaving sketch(8);
  Exact exact;
  for (int i = 0; i < 5000; ++i) {
    const std::string key = std::to_string(i % 8);
    sketch.add(key, static_cast<std::uint64_t>(i % 2), 1);  // two keys in one place, and four more beside
    ++exact[key + std::to_string(i % 2)];
  }
  for (const SpaceSaving::Counter& counter : sketch.counters()) {
    EXPECT_EQ(counter.count, exact.at(counter.key + std::to_string(counter.hash)));
    EXPECT_EQ(counter.error, 0U);
  }
}

TEST(SpaceSaving, SurvivesReplacementAmongCollisions) {
  SpaceSaving sketch(4);
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = std::to_string(random() % 30);
    const std::uint64_t hash = std::stoull(key) % 3;
    sketch.add(key, hash, 1);
    ASSERT_TRUE(sketch.holds(key, hash));
    ASSERT_LE(sketch.counters().size(), 4U);
    for (const SpaceSaving::Counter& counter : sketch.counters()) {
      ASSERT_TRUE(sketch.holds(counter.key, counter.hash));
    }
  }
}

TEST(SpaceSaving, IsEmptyAgainWhenCleared) {
  SpaceSaving sketch(2);
  for (const char* const key : {"a", "b", "c"}) sketch.add(key, stable_hash(key), 5);
  sketch.clear();
  EXPECT_TRUE(sketch.counters().empty());
  EXPECT_EQ(sketch.largest(), 0U);
  EXPECT_EQ(sketch.most_of_others(), 0U);
  EXPECT_EQ(sketch.add("d", stable_hash("d"), 1).count, 1U);
  EXPECT_EQ(sketch.estimate("a", stable_hash("a")).count, 0U);
}

}  // namespace
}  // namespace sluice::observe
