// Aim: tokens at hand are spent oldest first, never after their end, and none appears or vanishes. Method:
// lots by hand.
#include "lease/stock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace sluice::lease {
namespace {

using namespace std::chrono_literals;

constexpr Instant kNow{1h};

Lot lot(std::uint32_t tokens, Duration good_for, GenerationIndex generation = 1) {
  return {.tokens = tokens,
          .generation = generation,
          .good_until = kNow + good_for,
          .granted_at = WallTime{good_for}};
}

TEST(Stock, StartsEmpty) {
  Stock stock;
  EXPECT_TRUE(stock.empty());
  EXPECT_EQ(stock.held(kNow), 0);
  EXPECT_FALSE(stock.spend(1, kNow));
  EXPECT_FALSE(stock.take_any());
}

TEST(Stock, SpendsTheOlderLotFirst) {
  Stock stock;
  ASSERT_TRUE(stock.add(lot(5, 2s)));
  ASSERT_TRUE(stock.add(lot(3, 1s)));
  EXPECT_EQ(stock.held(kNow), 8);
  EXPECT_EQ(stock.spend(2, kNow)->good_until, kNow + 1s);
  EXPECT_EQ(stock.held(kNow + 1s), 5);
  EXPECT_EQ(stock.first_end(), kNow + 1s);
}

TEST(Stock, ACostMayTakeFromBothAndHasTheEarlierEnd) {
  Stock stock;
  ASSERT_TRUE(stock.add(lot(3, 1s)));
  ASSERT_TRUE(stock.add(lot(3, 2s)));
  EXPECT_FALSE(stock.spend(7, kNow));
  EXPECT_EQ(stock.spend(4, kNow)->good_until, kNow + 1s);
  EXPECT_EQ(stock.held(kNow), 2);
  EXPECT_EQ(stock.first_end(), kNow + 2s);
}

TEST(Stock, NothingIsSpentFromItsEndOn) {
  Stock stock;
  ASSERT_TRUE(stock.add(lot(3, 1s)));
  EXPECT_TRUE(stock.spend(1, kNow + 1s - 1ns));
  EXPECT_FALSE(stock.spend(1, kNow + 1s));
  EXPECT_EQ(stock.held(kNow + 1s), 0);
  EXPECT_EQ(stock.take_ended(kNow + 1s)->tokens, 2U);
  EXPECT_TRUE(stock.empty());
}

TEST(Stock, OnlyEndedLotsAreTakenAsEnded) {
  Stock stock;
  ASSERT_TRUE(stock.add(lot(3, 1s)));
  ASSERT_TRUE(stock.add(lot(4, 2s)));
  EXPECT_FALSE(stock.take_ended(kNow));
  EXPECT_EQ(stock.take_ended(kNow + 1s)->tokens, 3U);
  EXPECT_FALSE(stock.take_ended(kNow + 1s));
  EXPECT_EQ(stock.take_ended(kNow + 3s)->tokens, 4U);
}

TEST(Stock, AThirdLotJoinsOneOfItsHistoryAndTakesTheEarlierEnd) {
  Stock stock;
  ASSERT_TRUE(stock.add(lot(1, 1s, 1)));
  ASSERT_TRUE(stock.add(lot(2, 2s, 2)));
  ASSERT_TRUE(stock.add(lot(4, 3s, 2)));
  EXPECT_EQ(stock.held(kNow), 7);
  EXPECT_EQ(stock.held(kNow + 1s), 6);
  EXPECT_EQ(stock.held(kNow + 2s), 0);
  ASSERT_TRUE(stock.add(lot(8, 500ms, 1)));
  EXPECT_EQ(stock.held(kNow + 500ms), 6);
  EXPECT_FALSE(stock.add(lot(1, 1s, 3))) << "a third history";
}

TEST(Stock, TokensAreNotCountedPastTheirType) {
  Stock stock;
  ASSERT_TRUE(stock.add(lot(4'000'000'000U, 1s)));
  ASSERT_TRUE(stock.add(lot(4'000'000'000U, 1s)));
  EXPECT_FALSE(stock.add(lot(4'000'000'000U, 1s)));
  EXPECT_EQ(stock.held(kNow), 8'000'000'000);
  EXPECT_TRUE(stock.spend(8'000'000'000, kNow));
  EXPECT_TRUE(stock.empty());
}

TEST(Stock, TakeAnyEmptiesIt) {
  Stock stock;
  ASSERT_TRUE(stock.add(lot(3, 2s)));
  ASSERT_TRUE(stock.add(lot(4, 1s)));
  EXPECT_EQ(stock.take_any()->tokens, 4U);
  EXPECT_EQ(stock.take_any()->tokens, 3U);
  EXPECT_FALSE(stock.take_any());
}

}  // namespace
}  // namespace sluice::lease
