// Aim: what may be held, and for how long, follows from the limit. Method: figures by hand.
#include "lease/terms.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "limiter/limit.h"

namespace sluice::lease {
namespace {

using namespace std::chrono_literals;
using limiter::Algorithm;

TermsPtr terms(Algorithm algorithm, std::int64_t count, Duration period, const Settings& settings = {},
               std::int64_t burst = 0) {
  return Terms::make(
      *limiter::Limit::make({.algorithm = algorithm, .count = count, .period = period, .burst = burst}),
      settings);
}

TEST(Terms, ABucketsLeaseIsAtMostSlackTimesBurstOverRate) {
  EXPECT_EQ(terms(Algorithm::token_bucket, 1000, 1s)->ttl(), 250ms);
  EXPECT_EQ(terms(Algorithm::token_bucket, 1000, 1s, {}, 200)->ttl(), 50ms);
  EXPECT_EQ(terms(Algorithm::token_bucket, 1000, 1s, {.slack = 0.5})->ttl(), 500ms);
  EXPECT_EQ(terms(Algorithm::token_bucket, 1000, 1min)->ttl(), 2s);
  EXPECT_EQ(terms(Algorithm::token_bucket, 1000, 1s)->horizon(), 250ms);
}

TEST(Terms, AWindowsLeaseIsOnlyBoundedByItsTtl) {
  EXPECT_EQ(terms(Algorithm::fixed_window, 1000, 1s)->ttl(), 2s);
  EXPECT_EQ(terms(Algorithm::sliding_window_counter, 1000, 1s)->horizon(), 1s);
}

TEST(Terms, WhatCannotBeLeasedAheadIsNot) {
  EXPECT_TRUE(terms(Algorithm::fixed_window, 1000, 1s)->ahead());
  EXPECT_FALSE(terms(Algorithm::fixed_window, 1000, 1s, {.exact = true})->ahead());
  EXPECT_FALSE(terms(Algorithm::sliding_window_log, 1000, 1s)->ahead());
  EXPECT_FALSE(terms(Algorithm::fixed_window, 7, 1s)->ahead()) << "an eighth of 7 is nothing";
  EXPECT_FALSE(terms(Algorithm::token_bucket, 1000, 1s, {}, 30)->ahead()) << "over after 7.5 ms";
  EXPECT_FALSE(terms(Algorithm::token_bucket, 0, 1s)->ahead());
}

TEST(Terms, RequestsForAContendedKeyAreFrequentEnoughToUseIt) {
  EXPECT_EQ(terms(Algorithm::token_bucket, 1000, 1min)->pace(), 45ms);
  EXPECT_EQ(terms(Algorithm::token_bucket, 1000, 1s, {}, 160)->pace(), 10ms);
  EXPECT_EQ(terms(Algorithm::fixed_window, 1000, 100ms)->pace(), 6250us);
  EXPECT_EQ(terms(Algorithm::token_bucket, 1'000'000, 1s, {}, 10)->pace(), 1ms);
  // A quarter of burst ÷ rate at most, or a bucket would overflow unused.
  for (const std::int64_t burst : {20, 100, 400, 1000, 10'000}) {
    EXPECT_LE(terms(Algorithm::token_bucket, 1000, 1s, {}, burst)->pace() * 4, burst * 1ms) << burst;
  }
}

TEST(Terms, ExtremeLimitsOverflowNothing) {
  EXPECT_EQ(terms(Algorithm::token_bucket, 1, 24h * 3660, {}, limiter::kMaxInteger)->ttl(), 2s);
  EXPECT_GE(terms(Algorithm::token_bucket, limiter::kMaxInteger, 1ms, {}, 1)->pace(), 1ms);
}

TEST(Terms, AreEqualByValue) {
  EXPECT_TRUE(*terms(Algorithm::fixed_window, 5, 1s) == *terms(Algorithm::fixed_window, 5, 1s));
  EXPECT_FALSE(*terms(Algorithm::fixed_window, 5, 1s) == *terms(Algorithm::fixed_window, 6, 1s));
  EXPECT_FALSE(*terms(Algorithm::fixed_window, 5, 1s) == *terms(Algorithm::fixed_window, 5, 1s, {.max = 9}));
}

}  // namespace
}  // namespace sluice::lease
