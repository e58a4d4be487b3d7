// Aim: equal limits share one slot for as long as somebody uses them. Method: acquire and release by hand.
#include "store/memory/limit_table.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "limiter/limit.h"

namespace sluice::store {
namespace {

limiter::Limit limit_of(std::int64_t count) {
  limiter::LimitSpec spec;
  spec.count = count;
  spec.period = std::chrono::seconds{1};
  return *limiter::Limit::make(spec);
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

}  // namespace
}  // namespace sluice::store
