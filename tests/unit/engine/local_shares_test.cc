// Aim: the parts that daemons enforce by themselves sum to the limit, keep what was consumed, and are told to
// the store once. Method: the parts of all daemons of a fleet, by hand.
#include "engine/local_shares.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/limit.h"
#include "support/virtual_loop.h"

namespace sluice::engine {
namespace {

using namespace std::chrono_literals;
using limiter::Algorithm;

constexpr WallTime kNow{std::chrono::seconds{1'800'000'000}};
constexpr auto kAlways = [](std::string_view) { return true; };

limiter::Limit limit_of(std::int64_t count, Algorithm algorithm = Algorithm::fixed_window,
                        Duration period = 1h, std::int64_t burst = 0) {
  return *limiter::Limit::make({.algorithm = algorithm, .count = count, .period = period, .burst = burst});
}

class LocalSharesTest : public testing::Test {
 protected:
  bool take(std::int64_t cost = 1, std::optional<std::int64_t> left = std::nullopt,
            std::string_view key = "k") {
    return shares_.take(key, limit_, cost, portion_, left, now_).allowed;
  }
  std::int64_t take_all(std::optional<std::int64_t> left = std::nullopt) {
    std::int64_t taken = 0;
    while (taken < 10'000 && take(1, left)) ++taken;
    return taken;
  }

  test::SeededRandom random_;
  limiter::Limit limit_ = limit_of(100);
  Portion portion_;
  WallTime now_ = kNow;
  LocalShares shares_{random_, 10};
};

TEST_F(LocalSharesTest, OfAnUnknownKeyItIsThePartOfTheLimit) {
  portion_ = {.parts = 4, .rank = 0};
  EXPECT_EQ(take_all(), 25);
}

TEST_F(LocalSharesTest, ThePartsOfAllSumToTheLimit) {
  for (const Algorithm algorithm : {Algorithm::token_bucket, Algorithm::fixed_window,
                                    Algorithm::sliding_window_log, Algorithm::sliding_window_counter}) {
    for (const std::int64_t count : {1, 5, 100, 103}) {
      limit_ = limit_of(count, algorithm);
      for (const std::int64_t parts : {1, 3, 50}) {
        std::int64_t sum = 0;
        for (std::int64_t rank = 0; rank < parts; ++rank) {
          LocalShares shares(random_, 10);
          while (shares.take("k", limit_, 1, {.parts = parts, .rank = rank}, std::nullopt, now_).allowed)
            ++sum;
        }
        EXPECT_EQ(sum, count) << limiter::name_of(algorithm) << " over " << parts;
      }
    }
  }
}

TEST_F(LocalSharesTest, OfAKnownKeyItIsThePartOfWhatWasLeft) {
  portion_ = {.parts = 4, .rank = 0};
  EXPECT_EQ(take_all(10), 3);
  portion_ = {.parts = 4, .rank = 3};
  LocalShares other(random_, 10);
  std::int64_t taken = 0;
  while (other.take("k", limit_, 1, portion_, 10, now_).allowed) ++taken;
  EXPECT_EQ(taken, 2);
}

TEST_F(LocalSharesTest, TimeRefillsThePart) {
  limit_ = limit_of(100, Algorithm::token_bucket, 100s);
  portion_ = {.parts = 4, .rank = 0};
  EXPECT_EQ(take_all(0), 0);
  now_ += 40s;
  EXPECT_EQ(take_all(), 10);
}

TEST_F(LocalSharesTest, ANewWindowIsANewPart) {
  portion_ = {.parts = 4, .rank = 0};
  EXPECT_EQ(take_all(), 25);
  now_ += 1h;
  EXPECT_EQ(take_all(), 25);
}

TEST_F(LocalSharesTest, WhatIsMoreThanThePartMayPassLater) {
  portion_ = {.parts = 4, .rank = 0};
  const auto verdict = shares_.take("k", limit_, 26, portion_, std::nullopt, now_);
  EXPECT_FALSE(verdict.allowed);
  EXPECT_EQ(verdict.retry_after, 1s);
  EXPECT_EQ(shares_.take("k", limit_, 101, portion_, std::nullopt, now_).retry_after, kNever);
}

TEST_F(LocalSharesTest, IsBookedOnce) {
  for (int i = 0; i < 7; ++i) take();
  EXPECT_TRUE(shares_.book(10, now_, [](std::string_view) { return false; }).empty());
  const auto bookings = shares_.book(10, now_, kAlways);
  ASSERT_EQ(bookings.size(), 1U);
  EXPECT_EQ(bookings[0].key, "k");
  EXPECT_EQ(bookings[0].tokens, 7);
  EXPECT_TRUE(bookings[0].limit == limit_) << "the limit, not the part of it";
  EXPECT_TRUE(shares_.book(10, now_, kAlways).empty());
  EXPECT_EQ(take_all(), 93) << "no part is handed out again before the store has answered";
}

TEST_F(LocalSharesTest, WhatWasNotUsedIsNotBooked) {
  take(5);
  shares_.put_back("k", 3, now_);
  EXPECT_EQ(shares_.book(10, now_, kAlways).at(0).tokens, 2);
}

TEST_F(LocalSharesTest, WhatHasHealedIsNotBooked) {
  take(5);
  now_ += 1h;
  EXPECT_TRUE(shares_.book(10, now_, kAlways).empty());
  EXPECT_EQ(shares_.size(), 0U);
}

TEST_F(LocalSharesTest, AKeyTheStoreHasAnsweredForIsForgotten) {
  take(5);
  shares_.reached("k");
  EXPECT_EQ(shares_.size(), 1U) << "there is still something to tell";
  ASSERT_EQ(shares_.book(10, now_, kAlways).size(), 1U);
  shares_.reached("k");
  EXPECT_EQ(shares_.size(), 0U);
}

TEST_F(LocalSharesTest, AtTheBoundNewKeysAreDeniedAndNoneIsForgotten) {
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(take(1, std::nullopt, std::to_string(i)));
  EXPECT_FALSE(take(1, std::nullopt, "one more"));
  EXPECT_TRUE(take(1, std::nullopt, "3"));
}

TEST_F(LocalSharesTest, BookingGoesRoundInSteps) {
  for (int i = 0; i < 10; ++i) take(1, std::nullopt, std::to_string(i));
  std::size_t booked = 0;
  for (int i = 0; i < 4; ++i) booked += shares_.book(3, now_, kAlways).size();
  EXPECT_EQ(booked, 10U);
}

TEST_F(LocalSharesTest, AReloadedLimitKeepsWhatWasConsumed) {
  EXPECT_FALSE(shares_.holds("k", limit_));
  EXPECT_TRUE(take(60));
  EXPECT_TRUE(shares_.holds("k", limit_));
  EXPECT_FALSE(shares_.holds("k", limit_of(50)));
  limit_ = limit_of(50);
  EXPECT_FALSE(take());
  limit_ = limit_of(70);
  EXPECT_EQ(take_all(), 10);
}

}  // namespace
}  // namespace sluice::engine
