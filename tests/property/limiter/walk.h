// Random walks of one limiter beside an oracle: what all four algorithms have in common.
//
// An Oracle is written as differently from src/limiter as can be: it keeps the whole history of what was
// admitted and computes each answer from it, with 128-bit integers. It offers
//   Oracle(const Limit&)
//   bool admits(WallTime now, std::int64_t cost)   for a cost that is at most the capacity
//   std::int64_t remaining(WallTime now)
//   bool full(WallTime now)
//   void add(WallTime now, std::int64_t cost)      what was admitted
//   void check_promise()                           expectations on the whole history
// Waits are checked through it as well: the cost passes after the wait, and does not one nanosecond before.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <random>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter::testing {

__extension__ using Wide = __int128;

/// Every case has its own seed, which a failure prints.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  /// All magnitudes equally likely, in [1, high].
  std::int64_t magnitude(std::int64_t high) {
    int bits = 1;
    while (bits < 63 && (std::int64_t{1} << bits) <= high) ++bits;
    return std::clamp(between(1, std::int64_t{1} << between(0, bits - 1)), std::int64_t{1}, high);
  }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }

 private:
  std::mt19937_64 engine_;
};

inline std::int64_t random_count(Dice& dice) {
  switch (dice.between(0, 4)) {
    case 0:
      return dice.between(1, 20);
    case 1:
      return dice.pick<std::int64_t>({1, 2, 1'000'003, 999'999'937, kMaxInteger - 1, kMaxInteger});
    case 2:
      return dice.between(900, 1'100);
    default:
      return dice.magnitude(kMaxInteger);
  }
}

inline Duration random_period(Dice& dice) {
  if (dice.one_in(2)) {
    return dice.pick<Duration>({1ms, 7ms, 1s, 60s, 1h, 24h, 24h * 30, 24h * 365, 24h * 3660, 1'000'003us});
  }
  return std::chrono::microseconds(
      std::max<std::int64_t>(1'000, dice.magnitude(24ll * 3660 * 3'600'000'000)));
}

inline WallTime random_start(Dice& dice) {
  const Duration year = 24h * 365;
  const auto base = dice.pick<Duration>({0s, year, 56 * year, 56 * year, 130 * year});
  return at(base + Duration(dice.between(0, 1'000'000'000)) * dice.between(1, 100'000));
}

/// Moves `now`: small and large steps, onto and around the moments that matter, years ahead, and back.
inline WallTime random_step(Dice& dice, WallTime now, const Limit& limit, const Verdict& last) {
  const Duration period = limit.period();
  switch (dice.between(0, 11)) {
    case 0:
      return now;
    case 1:
      return now + Duration(dice.between(1, 3'000));
    case 2:
    case 3:
      return now + std::chrono::microseconds(dice.between(0, period / 1us / 8));
    case 4:
      return now + Duration(dice.between(0, 2 * period.count()));
    case 5:
    case 6:
      if (last.retry_after <= Duration::zero() || last.retry_after > 24h * 3660) return now;
      return now + last.retry_after - Duration(dice.between(0, 1));
    case 7:
      if (last.reset_after <= Duration::zero() || last.reset_after > 24h * 3660) return now;
      return now + last.reset_after - Duration(dice.between(0, 1));
    case 8:
      return now - now.time_since_epoch() % period + period + Duration(dice.between(-1, 1));
    case 9:
      return dice.one_in(8) ? now + 24h * 365 * dice.between(1, 5) : now + 1us;
    case 10:
      return now - Duration(dice.between(0, dice.pick<std::int64_t>({1'000, 1'000'000, 2 * period.count()})));
    default:
      return now + std::chrono::microseconds(dice.between(0, 10));
  }
}

inline std::int64_t random_cost(Dice& dice, const Limit& limit, std::int64_t remaining) {
  switch (dice.between(0, 7)) {
    case 0:
      return 0;
    case 1:
      return remaining;
    case 2:
      return std::min(limit.capacity(), remaining + 1);
    case 3:
      return dice.between(1, limit.capacity());
    case 4:
      return dice.pick<std::int64_t>({limit.capacity(), limit.capacity() + 1, kMaxInteger});
    case 5:
      return dice.between(1, std::max<std::int64_t>(1, limit.capacity() / 8));
    default:
      return dice.magnitude(limit.capacity());
  }
}

/// What ends later than this never ends: see limiter.h.
inline constexpr WallTime kEndless{std::chrono::microseconds(kMaxInteger)};

template <class Oracle>
void check_waits(const Oracle& oracle, WallTime now, std::int64_t cost, const Limit& limit,
                 const Verdict& verdict) {
  if (verdict.allowed) {
    ASSERT_EQ(verdict.retry_after, Duration::zero());
  } else if (cost > limit.capacity()) {
    ASSERT_EQ(verdict.retry_after, kNever);
  } else if (verdict.retry_after == Duration::max()) {
    ASSERT_FALSE(oracle.admits(kEndless - 1ns, cost));
  } else {
    ASSERT_GT(verdict.retry_after, Duration::zero());
    ASSERT_TRUE(oracle.admits(now + verdict.retry_after, cost));
    ASSERT_FALSE(oracle.admits(now + verdict.retry_after - 1ns, cost));
  }
  if (verdict.reset_after == Duration::zero()) {
    ASSERT_TRUE(oracle.full(now));
  } else if (verdict.reset_after == Duration::max()) {
    ASSERT_FALSE(oracle.full(kEndless - 1ns));
  } else {
    ASSERT_TRUE(oracle.full(now + verdict.reset_after));
    ASSERT_FALSE(oracle.full(now + verdict.reset_after - 1ns));
  }
}

template <class Oracle>
void walk(Dice& dice, const Limit& limit, int steps) {
  Oracle oracle(limit);
  State state;
  Verdict verdict;
  WallTime now = random_start(dice);
  for (int step = 0; step < steps; ++step) {
    now = std::max(WallTime{}, random_step(dice, now, limit, verdict));
    const std::int64_t cost = random_cost(dice, limit, available(limit, state, now));
    const State before = state;
    const Verdict seen = peek(limit, state, now, cost);
    verdict = take(limit, state, now, cost);
    SCOPED_TRACE(::testing::Message()
                 << "step " << step << ", now " << now.time_since_epoch().count() << " ns, cost " << cost
                 << ", allowed " << verdict.allowed << ", retry " << verdict.retry_after.count() << ", reset "
                 << verdict.reset_after.count());

    ASSERT_EQ(verdict.allowed, cost <= limit.capacity() && oracle.admits(now, cost));
    if (verdict.allowed && cost > 0) {
      oracle.add(now, cost);
    } else {
      ASSERT_EQ(state, before);
    }
    ASSERT_EQ(verdict.remaining, oracle.remaining(now));
    ASSERT_EQ(verdict.remaining, available(limit, state, now));
    ASSERT_EQ(seen.allowed, verdict.allowed);
    ASSERT_EQ(seen.remaining, verdict.remaining);
    ASSERT_EQ(seen.retry_after, verdict.retry_after);
    ASSERT_EQ(seen.reset_after, verdict.reset_after);
    ASSERT_NO_FATAL_FAILURE(check_waits(oracle, now, cost, limit, verdict));
    ASSERT_EQ(full_at(limit, state, now),
              verdict.reset_after == Duration::max() ? WallTime::max() : now + verdict.reset_after);
  }
  oracle.check_promise();
}

/// 200,000 decisions, in walks of 20.
template <class Oracle, class MakeLimit>
void walk_many(std::uint64_t first_seed, MakeLimit make_limit) {
  constexpr std::uint64_t kWalks = 10'000;
  for (std::uint64_t seed = first_seed; seed < first_seed + kWalks; ++seed) {
    Dice dice(seed);
    const Limit limit = make_limit(dice);
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ": " << name_of(limit.algorithm()) << ' ' << limit.count() << " per "
                 << format_duration(limit.period()) << ", capacity " << limit.capacity());
    walk<Oracle>(dice, limit, 20);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace sluice::limiter::testing
