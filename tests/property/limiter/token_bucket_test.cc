// Aim: the token bucket is exact in its own ticks, and never admits more than one in continuous time.
// Method: random walks beside an oracle that refills from the whole history in fractions of a token; and the
// promise, admitted in any interval of length d ≤ burst + rate × d, checked on every pair of admissions.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "property/limiter/walk.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

class BucketOracle {
 public:
  explicit BucketOracle(const Limit& limit)
      : count_(limit.count()),
        period_us_(limit.period() / 1us),
        tick_ns_(Wide{limit.tick_us()} * 1'000),
        burst_(limit.capacity()) {}

  [[nodiscard]] bool admits(WallTime now, std::int64_t cost) const {
    return level_at(now) >= Wide{cost} * period_us_;
  }
  [[nodiscard]] std::int64_t remaining(WallTime now) const {
    return static_cast<std::int64_t>(level_at(now) / period_us_);
  }
  [[nodiscard]] bool full(WallTime now) const { return level_at(now) == capacity(); }

  void add(WallTime now, std::int64_t cost) {
    latest_ = std::max(latest_, now);
    taken_.push_back({.now = latest_, .cost = cost});
    const Wide ns = now.time_since_epoch().count();
    const Wide seen = debits_.empty() ? ns / tick_ns_ : std::max(ns / tick_ns_, debits_.back().refills_from);
    // Where the rest of a tick could overflow the bucket, refill waits for the next one.
    const bool nearly_full = capacity() - level_at(now) < per_tick();
    const Wide from = nearly_full ? std::max(seen, (ns + tick_ns_ - 1) / tick_ns_) : seen;
    debits_.push_back({.seen_at = seen, .refills_from = from, .cost = cost});
  }

  void check_promise() const {
    for (std::size_t first = 0; first < taken_.size(); ++first) {
      Wide sum = 0;
      for (std::size_t last = first; last < taken_.size(); ++last) {
        sum += taken_[last].cost;
        const Wide d = (taken_[last].now - taken_[first].now).count();
        ASSERT_TRUE(sum * period_us_ * 1'000 <= Wide{burst_} * period_us_ * 1'000 + d * count_)
            << "admissions " << first << " to " << last;
      }
    }
  }

 private:
  struct Debit {
    Wide seen_at;  ///< ticks
    Wide refills_from;
    std::int64_t cost;
  };
  struct Taken {
    WallTime now;
    std::int64_t cost;
  };

  /// In fractions of a token: so many are one.
  [[nodiscard]] Wide capacity() const { return Wide{burst_} * period_us_; }
  [[nodiscard]] Wide per_tick() const { return tick_ns_ / 1'000 * count_; }

  /// Replays all debits. A fraction of a token is 1 ÷ period_us, and `count` of them flow in per microsecond.
  [[nodiscard]] Wide level_at(WallTime now) const {
    if (debits_.empty()) return capacity();
    Wide level = capacity();
    Wide tick = debits_.front().seen_at;
    const auto refill_until = [&](Wide later) {
      level = std::min(capacity(), level + (later - tick) * per_tick());
      tick = later;
    };
    for (const Debit& debit : debits_) {
      refill_until(debit.seen_at);
      level -= Wide{debit.cost} * period_us_;
      tick = debit.refills_from;
    }
    refill_until(std::max(tick, Wide{now.time_since_epoch().count()} / tick_ns_));
    return level;
  }

  std::int64_t count_;
  std::int64_t period_us_;
  Wide tick_ns_;
  std::int64_t burst_;
  WallTime latest_;
  std::vector<Debit> debits_;
  std::vector<Taken> taken_;
};

TEST(TokenBucketProperty, AgreesWithTheOracle) {
  walk_many<BucketOracle>(1'000'000, [](Dice& dice) {
    return bucket(random_count(dice), random_period(dice), dice.one_in(2) ? 0 : random_count(dice));
  });
}

TEST(TokenBucketProperty, CoarseTicksNeverAdmitMore) {
  walk_many<BucketOracle>(2'000'000, [](Dice& dice) {
    for (;;) {
      const std::int64_t count = dice.one_in(2) ? random_count(dice) : dice.magnitude(1'000'000);
      const Limit limit = bucket(count, random_period(dice), dice.between(kMaxInteger / 4, kMaxInteger));
      if (limit.tick_us() > 1) return limit;
    }
  });
}

}  // namespace
}  // namespace sluice::limiter
