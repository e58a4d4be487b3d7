// Aim: books that do not add up are found and named, and so are tokens that nobody was granted.
// Method: books by hand; one token taken from or added to each entry in turn.
#include "sim/check/conservation.h"

#include <gtest/gtest.h>

#include <cstdint>

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

TEST(Holdings, AreWhatWasGranted) {
  Holdings tokens;
  const Holder holder{.member = "d1", .counter = "a", .history = "1 x"};
  tokens.granted(holder, 5, 0);
  tokens.granted(holder, 2, 0);
  EXPECT_FALSE(tokens.taken(holder, 6, 0));
  EXPECT_FALSE(tokens.taken(holder, 1, 0));
  EXPECT_EQ(tokens.taken(holder, 3, 0), 3);
}

TEST(Holdings, AreOfOneDaemonCounterAndHistory) {
  const Holder holder{.member = "d1", .counter = "a", .history = "1 x"};
  for (const Holder& other : {Holder{.member = "d2", .counter = "a", .history = "1 x"},
                              Holder{.member = "d1", .counter = "b", .history = "1 x"},
                              Holder{.member = "d1", .counter = "a", .history = "2 x"}}) {
    Holdings tokens;
    tokens.granted(holder, 5, 0);
    EXPECT_TRUE(tokens.taken(other, 1, 0));
  }
}

TEST(Holdings, AreOfTheTimeThatIsNamed) {
  Holdings tokens;
  const Holder holder{.member = "d1", .counter = "a", .history = "1 x"};
  tokens.granted(holder, 5, 10);
  tokens.granted(holder, 2, 20);
  EXPECT_EQ(tokens.taken(holder, 3, 11), 1) << "only two are as new";
  tokens.granted(holder, 2, 20);
  EXPECT_FALSE(tokens.taken(holder, 5, 10)) << "the older ones first";
  EXPECT_FALSE(tokens.taken(holder, 2, 20));
  EXPECT_EQ(tokens.taken(holder, 1, 0), 1);
}

}  // namespace
}  // namespace sluice::sim
