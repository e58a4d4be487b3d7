// Aim: equal limits share one slot for as long as somebody uses them. Method: acquire and release by hand.
#include "limiter/limit_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "limiter/limit.h"

namespace sluice::limiter {
namespace {

Limit limit_of(std::int64_t count) {
  LimitSpec spec;
  spec.count = count;
  spec.period = std::chrono::seconds{1};
  return *Limit::make(spec);
}

TEST(LimitTable, SharesAndForgets) {
  LimitTable table;
  const LimitId five = table.acquire(limit_of(5));
  EXPECT_EQ(table.acquire(limit_of(5)), five);
  const LimitId six = table.acquire(limit_of(6));
  EXPECT_NE(six, five);
  EXPECT_EQ(table.size(), 2U);
  table.release(five);
  EXPECT_EQ(table.at(five).count(), 5);
  table.release(five);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.acquire(limit_of(7)), five) << "a free slot is used again";
  EXPECT_EQ(table.at(five).count(), 7);
  EXPECT_EQ(table.at(six).count(), 6);
}

TEST(LimitPart, PartsSumToTheWhole) {
  for (const std::int64_t parts : {1, 2, 7, 50}) {
    std::int64_t counts = 0;
    std::int64_t capacities = 0;
    const Limit whole = *Limit::make({.count = 103, .period = std::chrono::seconds{60}, .burst = 205});
    for (std::int64_t rank = 0; rank < parts; ++rank) {
      counts += whole.part(parts, rank).count();
      capacities += whole.part(parts, rank).capacity();
    }
    EXPECT_EQ(counts, 103) << parts;
    EXPECT_EQ(capacities, 205) << parts;
  }
  EXPECT_TRUE(limit_of(5).part(1, 0) == limit_of(5));
  EXPECT_EQ(limit_of(5).part(50, 5).capacity(), 0);
}

}  // namespace
}  // namespace sluice::limiter
