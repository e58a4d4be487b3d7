// Aim: the embedded store keeps the contract of store.h and its bound. Method: hand-made requests on a manual
// clock.
#include "store/memory/memory_store.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "limiter/limit.h"
#include "store/store.h"
#include "support/virtual_loop.h"

namespace sluice::store {
namespace {

using namespace std::chrono_literals;
using limiter::Algorithm;
using limiter::Limit;

Limit make_limit(Algorithm algorithm, std::int64_t count, Duration period, std::int64_t burst = 0) {
  limiter::LimitSpec spec;
  spec.algorithm = algorithm;
  spec.count = count;
  spec.period = period;
  spec.burst = burst;
  return *Limit::make(spec);
}

class MemoryStoreTest : public testing::Test {
 protected:
  MemoryStore make(std::size_t max_keys = 100) { return {clock_, random_, {.max_keys = max_keys}}; }

  static Outcome lease(MemoryStore& store, const std::string& key, const Limit& limit,
                       std::vector<Need> needs, std::int64_t extra = 0) {
    return *store.lease({.key = key, .limit = &limit, .needs = needs, .extra = extra}, 1);
  }

  test::ManualClock clock_;
  test::SeededRandom random_;
};

TEST_F(MemoryStoreTest, ServesNeedsFirstInOrderAllOrNothing) {
  MemoryStore store = make();
  const Limit limit = make_limit(Algorithm::fixed_window, 10, 1h);
  const Outcome outcome = lease(store, "k", limit, {{4, 1}, {7, 1}, {3, 3}}, 100);
  EXPECT_FALSE(outcome.error);
  EXPECT_EQ(outcome.grant.granted_needs, 10) << "4, not 7, then two of 3";
  EXPECT_EQ(outcome.grant.granted_extra, 0);
  EXPECT_EQ(outcome.grant.remaining, 0);
  EXPECT_GT(outcome.grant.retry_after, 0s) << "for the 7";
  std::vector<std::int64_t> served;
  const std::array<Need, 3> needs{{{4, 1}, {7, 1}, {3, 3}}};
  EXPECT_EQ(first_fit(needs, outcome.grant.granted_needs, [&](std::int64_t cost) { served.push_back(cost); }),
            10);
  EXPECT_EQ(served, (std::vector<std::int64_t>{4, 3, 3}));
}

TEST_F(MemoryStoreTest, ExtraIsAtMostAnEighthOfWhatIsLeft) {
  MemoryStore store = make();
  const Limit limit = make_limit(Algorithm::fixed_window, 100, 1h);
  EXPECT_EQ(lease(store, "k", limit, {{20, 1}}, 1000).grant.granted_extra, 10);
  EXPECT_EQ(lease(store, "k", limit, {}, 3).grant.granted_extra, 3);
  EXPECT_EQ(lease(store, "k", limit, {{60, 1}}, 1000).grant.granted_extra, 0) << "7 left";
  const Limit log = make_limit(Algorithm::sliding_window_log, 100, 1h);
  EXPECT_EQ(lease(store, "log", log, {}, 50).grant.granted_extra, 0) << "a log is exact";
}

TEST_F(MemoryStoreTest, GrantsSayWhenTheirWindowEnds) {
  MemoryStore store = make();
  const Outcome window = lease(store, "w", make_limit(Algorithm::fixed_window, 5, 1min), {{1, 1}});
  ASSERT_TRUE(window.grant.ends_after);
  EXPECT_EQ((clock_.wall_now() + *window.grant.ends_after).time_since_epoch() % 1min, 0ns);
  EXPECT_FALSE(lease(store, "b", make_limit(Algorithm::token_bucket, 5, 1min), {{1, 1}}).grant.ends_after);
}

TEST_F(MemoryStoreTest, NumbersDebitsInSequence) {
  MemoryStore store = make();
  const Limit limit = make_limit(Algorithm::token_bucket, 2, 1min);
  EXPECT_EQ(lease(store, "a", limit, {{1, 1}}).grant.seq, 1U);
  EXPECT_EQ(lease(store, "b", limit, {{2, 1}}).grant.seq, 2U);
  EXPECT_EQ(lease(store, "b", limit, {{1, 1}}).grant.seq, 2U) << "a denial is no debit";
}

TEST_F(MemoryStoreTest, GivesBackToTheSameHistoryOnly) {
  MemoryStore store = make();
  const Limit limit = make_limit(Algorithm::token_bucket, 10, 1h);
  const Grant grant = lease(store, "k", limit, {{6, 1}}).grant;
  GiveBack back{.key = "k",
                .limit = &limit,
                .tokens = 2,
                .granted_at = grant.granted_at,
                .generation = grant.generation};
  EXPECT_EQ(store.give_back(back, 1)->grant.remaining, 6);
  back.generation = grant.generation + 1;
  EXPECT_EQ(store.give_back(back, 1)->grant.remaining, 6) << "another generation: nothing";
  back.generation = 0;
  back.granted_at = std::nullopt;
  back.tokens = 1000;
  EXPECT_EQ(store.give_back(back, 1)->grant.remaining, 10) << "a refund, never above full";
  EXPECT_EQ(store.size(), 0U) << "a full key is not kept";
}

TEST_F(MemoryStoreTest, DenialsAndPeeksKeepNothing) {
  MemoryStore store = make();
  const Limit limit = make_limit(Algorithm::token_bucket, 5, 1min);
  EXPECT_EQ(lease(store, "k", limit, {{6, 1}}).grant.retry_after, kNever);
  EXPECT_EQ(store.peek("k", limit, 1, 1)->grant.remaining, 5);
  EXPECT_EQ(store.size(), 0U);
}

TEST_F(MemoryStoreTest, AtTheBoundNewKeysAreRefusedUntilOldOnesHaveHealed) {
  MemoryStore store = make(3);
  const Limit limit = make_limit(Algorithm::token_bucket, 1, 10s);
  for (const char* key : {"a", "b", "c"})
    EXPECT_EQ(lease(store, key, limit, {{1, 1}}).grant.granted_needs, 1);
  EXPECT_EQ(lease(store, "d", limit, {{1, 1}}).error, StoreError::full);
  EXPECT_EQ(store.counters().refused, 1U);
  EXPECT_EQ(lease(store, "a", limit, {{1, 1}}).grant.granted_needs, 0) << "nobody got a fresh bucket";
  clock_.advance(10s);
  EXPECT_EQ(lease(store, "d", limit, {{1, 1}}).grant.granted_needs, 1);
  EXPECT_EQ(store.counters().refused, 1U);
  EXPECT_LE(store.size(), 3U);
}

TEST_F(MemoryStoreTest, KeysInUseAreNeverDropped) {
  MemoryStore store = make(3);
  const Limit limit = make_limit(Algorithm::token_bucket, 10, 10s);
  // "hot" is used all the time, so its due time in the heap is long out of date.
  for (int i = 0; i < 200; ++i) {
    static_cast<void>(lease(store, "hot", limit, {{1, 1}}));
    static_cast<void>(lease(store, "key" + std::to_string(i), limit, {{1, 1}}));
    clock_.advance(600ms);
    const std::int64_t left = store.peek("hot", limit, 0, 1)->grant.remaining;
    ASSERT_LE(left, 10);
    if (i > 30) {
      ASSERT_LE(left, 2) << "forgotten in round " << i;
    }
  }
}

TEST_F(MemoryStoreTest, SweepDropsHealedKeysAFewAtATime) {
  MemoryStore store = make(1000);
  const Limit limit = make_limit(Algorithm::fixed_window, 5, 1min);
  for (int i = 0; i < 500; ++i) static_cast<void>(lease(store, std::to_string(i), limit, {{1, 1}}));
  store.sweep(1000);
  EXPECT_EQ(store.size(), 500U);
  clock_.advance(2min);
  store.sweep(100);
  EXPECT_EQ(store.size(), 400U);
  store.sweep(1000);
  EXPECT_EQ(store.size(), 0U);
}

TEST_F(MemoryStoreTest, AChangedLimitKeepsWhatWasConsumed) {
  MemoryStore store = make();
  static_cast<void>(lease(store, "k", make_limit(Algorithm::token_bucket, 5, 1h), {{3, 1}}));
  const Limit ten = make_limit(Algorithm::token_bucket, 10, 1h);
  EXPECT_EQ(store.peek("k", ten, 1, 1)->grant.remaining, 7);
  const Limit window = make_limit(Algorithm::fixed_window, 4, 1h);
  EXPECT_EQ(store.peek("k", window, 1, 1)->grant.remaining, 1);
}

TEST_F(MemoryStoreTest, AWallClockThatStepsBackGivesNothingAway) {
  MemoryStore store = make();
  const Limit limit = make_limit(Algorithm::fixed_window, 5, 1min);
  EXPECT_EQ(lease(store, "k", limit, {{5, 1}}).grant.granted_needs, 5);
  clock_.step_wall(-1h);
  EXPECT_EQ(lease(store, "k", limit, {{1, 1}}).grant.granted_needs, 0);
  clock_.advance(2min);
  EXPECT_EQ(lease(store, "k", limit, {{5, 1}}).grant.granted_needs, 5) << "it goes on at half speed";
}

TEST_F(MemoryStoreTest, FiguresAreOnWholeMicroseconds) {
  MemoryStore store = make();
  clock_.advance(300ns);
  EXPECT_EQ(lease(store, "k", make_limit(Algorithm::token_bucket, 5, 5s), {{1, 1}}).grant.reset_after, 1s);
}

TEST_F(MemoryStoreTest, ResetMakesAKeyFull) {
  MemoryStore store = make();
  const Limit limit = make_limit(Algorithm::sliding_window_counter, 5, 1h);
  static_cast<void>(lease(store, "k", limit, {{5, 1}}));
  EXPECT_EQ(store.reset("k", limit, 1)->grant.remaining, 5);
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.reset("none", limit, 1)->grant.remaining, 5);
}

}  // namespace
}  // namespace sluice::store
