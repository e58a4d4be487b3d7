// Aim: books that do not add up are found and named, and sums are those of the entries.
// Method: books by hand; one token taken from or added to each entry in turn.
#include "sim/check/conservation.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sluice::sim {
namespace {

constexpr TokenBooks kBalanced{.granted = 31, .spent = 1, .returned = 2, .lapsed = 4, .lost = 8, .held = 16};

TEST(Conservation, AcceptsWhatAddsUp) {
  EXPECT_FALSE(imbalance({}));
  EXPECT_FALSE(imbalance(kBalanced));
}

TEST(Conservation, FindsOneTokenInAnyEntry) {
  for (const auto entry : {&TokenBooks::granted, &TokenBooks::spent, &TokenBooks::returned,
                           &TokenBooks::lapsed, &TokenBooks::lost, &TokenBooks::held}) {
    for (const std::int64_t change : {-1, 1}) {
      TokenBooks books = kBalanced;
      books.*entry += change;
      EXPECT_TRUE(imbalance(books));
    }
  }
}

TEST(Conservation, NamesWhatDoesNotAddUp) {
  EXPECT_EQ(imbalance({.granted = 10, .spent = 7, .lapsed = 1}),
            "granted 10, but spent 7 + returned 0 + lapsed 1 + lost 0 + held 0 = 8: 2 missing");
  EXPECT_EQ(imbalance({.granted = 1, .spent = 1, .held = 3}),
            "granted 1, but spent 1 + returned 0 + lapsed 0 + lost 0 + held 3 = 4: 3 too many");
}

TEST(Conservation, FindsNegativeEntriesThatAddUp) {
  EXPECT_EQ(imbalance({.granted = 1, .spent = 2, .lapsed = -1}), "lapsed -1, which is negative");
  EXPECT_EQ(imbalance({.granted = -1, .spent = -1}), "granted -1, which is negative");
}

TEST(Conservation, JudgesEachDaemonAndKeyByItself) {
  std::vector<DaemonBooks> all = {{"d1", "a", kBalanced}, {"d1", "b", {}}, {"d2", "a", kBalanced}};
  EXPECT_FALSE(first_imbalance(all));
  ++all[1].books.spent;  // the two cancel out in the sum
  ++all[2].books.granted;
  EXPECT_FALSE(imbalance(sum_of(all)));
  EXPECT_EQ(first_imbalance(all),
            "d1, key b: granted 0, but spent 1 + returned 0 + lapsed 0 + lost 0 + held 0 = 1: 1 too many "
            "(and 1 more)");
}

TEST(Conservation, SumsEveryEntry) {
  const std::vector<DaemonBooks> all = {
      {"d1", "a", kBalanced}, {"d1", "b", {.held = 5}}, {"d2", "a", kBalanced}};
  const TokenBooks twice{.granted = 62, .spent = 2, .returned = 4, .lapsed = 8, .lost = 16, .held = 32};
  EXPECT_EQ(sum_of_key(all, "a"), twice);
  EXPECT_EQ(sum_of(all).held, 37);
  EXPECT_EQ(sum_of_key(all, "c"), TokenBooks{});
}

}  // namespace
}  // namespace sluice::sim
