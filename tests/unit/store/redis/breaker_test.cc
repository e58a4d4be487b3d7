// Aim: a server in trouble is asked seldom, and again at once when it is well. Method: failures by hand.
#include "store/redis/breaker.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/virtual_loop.h"

namespace sluice::store::redis {
namespace {

using namespace std::chrono_literals;

class BreakerTest : public testing::Test {
 protected:
  void trip() {
    for (int i = 0; i < Breaker::kFailures; ++i) breaker_.failed(now_);
  }
  test::SeededRandom random_;
  Breaker breaker_{random_};
  Instant now_{1h};
};

TEST_F(BreakerTest, AFewFailuresDoNotOpenIt) {
  for (int i = 0; i < 100; ++i) {
    for (int k = 1; k < Breaker::kFailures; ++k) breaker_.failed(now_);
    EXPECT_TRUE(breaker_.allows(now_));
    breaker_.succeeded();
  }
}

TEST_F(BreakerTest, OpensAndLetsOneProbeThrough) {
  trip();
  EXPECT_FALSE(breaker_.allows(now_));
  EXPECT_FALSE(breaker_.allows(now_ + Breaker::kFirst / 2 - 1ns));
  EXPECT_TRUE(breaker_.allows(now_ + Breaker::kFirst));
  EXPECT_FALSE(breaker_.allows(now_ + 1h)) << "one probe at a time";
  breaker_.succeeded();
  EXPECT_TRUE(breaker_.allows(now_));
  EXPECT_TRUE(breaker_.allows(now_));
}

TEST_F(BreakerTest, AServerThatStaysIllIsAskedSeldom) {
  trip();
  int probes = 0;
  for (const Instant end = now_ + 60s; now_ < end; now_ += 1ms) {
    if (!breaker_.allows(now_)) continue;
    ++probes;
    breaker_.failed(now_);
  }
  EXPECT_GE(probes, 60 / 2);
  EXPECT_LE(probes, 60 + 8);
}

TEST_F(BreakerTest, FailuresThatWereUnderWayDoNotProlongIt) {
  trip();
  for (int i = 0; i < 1000; ++i) breaker_.failed(now_);
  EXPECT_TRUE(breaker_.allows(now_ + Breaker::kFirst));
}

}  // namespace
}  // namespace sluice::store::redis
