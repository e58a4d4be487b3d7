// Aim: whatever is taken, given back and reconfigured in whatever order, no state leaves its bounds.
// Method: random walks through random limits; expectations that hold for all algorithms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "limiter/ticks.h"
#include "property/limiter/walk.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

Limit random_limit(Dice& dice) {
  const std::int64_t count = dice.one_in(10) ? 0 : random_count(dice);
  if (dice.one_in(6)) return calendar_window(count, CalendarUnit::month, "Europe/Berlin");
  const Algorithm algorithm = kAlgorithms[dice.between(0, 3)];
  if (algorithm == Algorithm::token_bucket && dice.one_in(2)) {
    return bucket(count, random_period(dice), random_count(dice));
  }
  return make(algorithm, count, random_period(dice));
}

void expect_sound(const State& state) {
  if (const auto* bucket_state = std::get_if<BucketState>(&state)) {
    ASSERT_GT(bucket_state->missing, 0);
    ASSERT_LE(bucket_state->missing, kMaxInteger);
  } else if (const auto* fixed = std::get_if<FixedState>(&state)) {
    ASSERT_GT(fixed->used, 0);
    ASSERT_LE(fixed->used, kMaxInteger);
  } else if (const auto* counts = std::get_if<CounterState>(&state)) {
    ASSERT_GE(counts->current, 0);
    ASSERT_GE(counts->previous, 0);
    ASSERT_GT(counts->current + counts->previous, 0);
  } else if (const auto* log = std::get_if<LogState>(&state)) {
    ASSERT_FALSE(log->entries.empty());
    std::int64_t last = -1;
    for (const LogState::Entry& entry : log->entries) {
      ASSERT_GT(entry.tick, last);
      ASSERT_GT(entry.tokens, 0);
      last = entry.tick;
    }
  }
}

/// What comes back is at most what was given, and shows in what is available, to a token.
void check_give_back(Dice& dice, const Limit& limit, State& state, WallTime now) {
  const std::int64_t before = available(limit, state, now);
  const bool overdrawn = !peek(limit, state, now, 0).allowed;
  const std::int64_t tokens =
      dice.one_in(3) ? dice.magnitude(kMaxInteger) : dice.magnitude(limit.capacity() + 1);
  const auto debited_at =
      dice.one_in(2) ? std::nullopt : std::optional(now - Duration(dice.between(0, 1'000)));
  const std::int64_t back = give_back(limit, state, now, tokens, debited_at);
  const std::int64_t after = available(limit, state, now);
  ASSERT_GE(back, 0);
  ASSERT_LE(back, tokens);
  ASSERT_GE(after, before);
  ASSERT_LE(after, limit.capacity());
  ASSERT_LE(after - before, back);
  const bool weighted = limit.algorithm() == Algorithm::sliding_window_counter;
  if (!overdrawn && !weighted) {
    ASSERT_GE(after - before, back - 1);
  }
  ASSERT_NO_FATAL_FAILURE(expect_sound(state));
}

/// Whole tokens that are gone, as far as `available` can show it.
void check_carry_over(const Limit& from, const Limit& to, State& state, WallTime now) {
  const std::int64_t gone = from.capacity() - available(from, state, now);
  const bool was_full = full_at(from, state, now) <= now;
  state = carry_over(from, to, state, now);
  ASSERT_NO_FATAL_FAILURE(expect_sound(state));
  ASSERT_LE(available(to, state, now), std::max<std::int64_t>(0, to.capacity() - gone))
      << "to " << name_of(to.algorithm()) << ' ' << to.capacity() << " per " << format_duration(to.period());
  ASSERT_TRUE(was_full || !std::holds_alternative<std::monostate>(state));
}

TEST(CarryOverProperty, StatesStayWithinTheirBounds) {
  constexpr std::uint64_t kFirstSeed = 9'000'000;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + 20'000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Dice dice(seed);
    Limit limit = random_limit(dice);
    State state;
    Verdict verdict;
    WallTime now = random_start(dice);
    for (int step = 0; step < 10; ++step) {
      SCOPED_TRACE(::testing::Message() << "step " << step << ", " << name_of(limit.algorithm()) << ' '
                                        << limit.capacity() << " per " << format_duration(limit.period()));
      now = std::max(WallTime{}, random_step(dice, now, limit, verdict));
      if (dice.one_in(4)) {
        const Limit next = random_limit(dice);
        ASSERT_NO_FATAL_FAILURE(check_carry_over(limit, next, state, now));
        limit = next;
      } else if (dice.one_in(3)) {
        ASSERT_NO_FATAL_FAILURE(check_give_back(dice, limit, state, now));
      } else {
        const std::int64_t left = available(limit, state, now);
        const std::int64_t cost = limit.capacity() == 0 ? 0 : random_cost(dice, limit, left);
        verdict = take(limit, state, now, cost);
        ASSERT_NO_FATAL_FAILURE(expect_sound(state));
        ASSERT_LE(verdict.remaining, left);
        ASSERT_GE(verdict.remaining, 0);
        const bool waits =
            !verdict.allowed && cost <= limit.capacity() && verdict.retry_after != Duration::max();
        if (waits && now + verdict.retry_after <= at(kLatestUs * 1us)) {
          ASSERT_FALSE(peek(limit, state, now + verdict.retry_after - 1ns, cost).allowed);
          ASSERT_TRUE(peek(limit, state, now + verdict.retry_after, cost).allowed);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sluice::limiter
