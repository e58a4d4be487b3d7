// Aim: the bits are random over the whole word, across refills and across generators.
//
// Method: with 10,000 words a repeat has probability 3e-12, and a bit that is set less than 40 % or more
// than 60 % of the time is 20 deviations off.
#include "net/system.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

namespace sluice::net {
namespace {

TEST(SystemRandomTest, GivesDifferentWordsWithEvenBits) {
  constexpr int kWords = 10'000;
  SystemRandom one;
  SystemRandom other;
  std::set<std::uint64_t> seen;
  std::array<int, 64> ones{};
  for (int i = 0; i < kWords; ++i) {
    const std::uint64_t word = i % 2 == 0 ? one.next() : other.next();
    seen.insert(word);
    for (std::size_t bit = 0; bit < ones.size(); ++bit) ones.at(bit) += static_cast<int>(word >> bit & 1U);
  }
  EXPECT_EQ(seen.size(), kWords);
  for (const int count : ones) {
    EXPECT_GT(count, kWords * 4 / 10);
    EXPECT_LT(count, kWords * 6 / 10);
  }
}

}  // namespace
}  // namespace sluice::net
