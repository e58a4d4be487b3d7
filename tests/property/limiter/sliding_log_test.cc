// Aim: no interval of one window's length ever holds more than the limit, and all answers are exact.
// Method: random walks beside an oracle that is a plain list of all admissions; and the promise, checked on
// every interval that begins with an admission, in nanoseconds and without granules.
#include <gtest/gtest.h>

#include <algorithm>
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

class LogOracle {
 public:
  explicit LogOracle(const Limit& limit) : limit_(limit), granule_(limit.log_granule() * 1us) {}

  [[nodiscard]] bool admits(WallTime now, std::int64_t cost) const {
    return used(now) + cost <= limit_.count();
  }
  [[nodiscard]] std::int64_t remaining(WallTime now) const {
    return static_cast<std::int64_t>(limit_.count() - used(now));
  }
  [[nodiscard]] bool full(WallTime now) const { return used(now) == 0; }

  void add(WallTime now, std::int64_t cost) {
    latest_ = std::max(latest_, now);
    Duration since = latest_.time_since_epoch();
    while (since % granule_ != Duration::zero()) since += granule_ - since % granule_;
    admitted_.push_back({.now = latest_, .counts_from = at(since), .cost = cost});
  }

  void check_promise() const {
    for (std::size_t first = 0; first < admitted_.size(); ++first) {
      Wide sum = 0;
      for (std::size_t i = first; i < admitted_.size(); ++i) {
        if (admitted_[i].now - admitted_[first].now < limit_.period()) sum += admitted_[i].cost;
      }
      ASSERT_TRUE(sum <= limit_.count()) << "interval from admission " << first;
    }
  }

 private:
  struct Admission {
    WallTime now;
    WallTime counts_from;
    std::int64_t cost;
  };

  [[nodiscard]] Wide used(WallTime now) const {
    Wide sum = 0;
    for (const Admission& a : admitted_) {
      if (a.counts_from > std::max(now, latest_) - limit_.period()) sum += a.cost;
    }
    return sum;
  }

  const Limit& limit_;
  Duration granule_;
  WallTime latest_;
  std::vector<Admission> admitted_;
};

TEST(SlidingLogProperty, AgreesWithTheOracle) {
  walk_many<LogOracle>(5'000'000, [](Dice& dice) {
    return make(Algorithm::sliding_window_log, random_count(dice), random_period(dice));
  });
}

TEST(SlidingLogProperty, SmallExactLimitsAgreeWithTheOracle) {
  walk_many<LogOracle>(6'000'000, [](Dice& dice) {
    return make(Algorithm::sliding_window_log, dice.between(1, 40), random_period(dice));
  });
}

}  // namespace
}  // namespace sluice::limiter
