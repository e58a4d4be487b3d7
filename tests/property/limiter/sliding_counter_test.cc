// Aim: the sliding counter never admits past its own estimate, and all answers are exact.
// Method: random walks beside an oracle that keeps every window's sum in a map and compares fractions in 128
// bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "base/time.h"
#include "limiter/limit.h"
#include "property/limiter/walk.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

class CounterOracle {
 public:
  explicit CounterOracle(const Limit& limit)
      : limit_(limit.count()), window_(limit.period()), tick_(limit.tick_us() * 1us) {}

  [[nodiscard]] bool admits(WallTime now, std::int64_t cost) const {
    return estimate(now) + Wide{cost} * window_.count() <= Wide{limit_} * window_.count();
  }
  [[nodiscard]] std::int64_t remaining(WallTime now) const {
    const Wide left = Wide{limit_} * window_.count() - estimate(now);
    return left <= 0 ? 0 : static_cast<std::int64_t>(left / window_.count());
  }
  [[nodiscard]] bool full(WallTime now) const { return estimate(now) == 0; }

  void add(WallTime now, std::int64_t cost) {
    admitted_[position(now).window] += cost;
    ASSERT_TRUE(estimate(now) <= Wide{limit_} * window_.count());
  }

  void check_promise() const {
    for (const auto& [window, sum] : admitted_) ASSERT_TRUE(sum <= limit_) << "window " << window;
  }

 private:
  struct Position {
    std::int64_t window;
    Duration into;
  };

  [[nodiscard]] Position position(WallTime now) const {
    const Duration t = now.time_since_epoch();
    const std::int64_t window = t / window_;
    if (!admitted_.empty() && admitted_.rbegin()->first > window) {
      return {.window = admitted_.rbegin()->first, .into = Duration::zero()};
    }
    return {.window = window, .into = t % window_ / tick_ * tick_};
  }

  [[nodiscard]] Wide sum_of(std::int64_t window) const {
    const auto found = admitted_.find(window);
    return found == admitted_.end() ? 0 : found->second;
  }

  /// In tokens × nanoseconds of the window.
  [[nodiscard]] Wide estimate(WallTime now) const {
    const Position p = position(now);
    return sum_of(p.window) * window_.count() + sum_of(p.window - 1) * (window_ - p.into).count();
  }

  std::int64_t limit_;
  Duration window_;
  Duration tick_;
  std::map<std::int64_t, Wide> admitted_;
};

TEST(SlidingCounterProperty, AgreesWithTheOracle) {
  walk_many<CounterOracle>(7'000'000, [](Dice& dice) {
    return make(Algorithm::sliding_window_counter, random_count(dice), random_period(dice));
  });
}

TEST(SlidingCounterProperty, CoarseTicksAgreeWithTheOracle) {
  walk_many<CounterOracle>(8'000'000, [](Dice& dice) {
    for (;;) {
      const Limit limit = make(Algorithm::sliding_window_counter, random_count(dice), random_period(dice));
      if (limit.tick_us() > 1) return limit;
    }
  });
}

}  // namespace
}  // namespace sluice::limiter
