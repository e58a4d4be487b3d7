// Aim: out of what sentinels say, some of them late, silent, ignorant or wrong, the right address is taken:
// no sooner than it is sure at first, at once when it is news, and never back to an old one.
//
// Method: the answers of three sentinels in all kinds of orders; time is an argument.
#include "store/redis/master_votes.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/connector.h"
#include "base/time.h"

namespace sluice::store::redis {
namespace {

using Known = MasterVotes::Known;
using Round = MasterVotes::Round;

const Endpoint kA{.host = "10.0.0.1", .port = 6379};
const Endpoint kB{.host = "10.0.0.2", .port = 6379};
const Endpoint kC{.host = "::1", .port = 6379};

struct MasterVotesTest : testing::Test {
  MasterVotes votes{3};
  Instant now{std::chrono::hours{1}};

  bool says(std::size_t sentinel, const Endpoint& master, std::optional<std::uint64_t> epoch) {
    return votes.on_answer(sentinel, {.master = master, .epoch = epoch}, now);
  }
  bool silent(std::size_t sentinel) { return votes.on_silence(sentinel, now); }
  bool unknown(std::size_t sentinel) { return votes.on_answer(sentinel, {}, now); }
  /// All agree.
  void know(const Endpoint& master, std::optional<std::uint64_t> epoch) {
    votes.begin(Known::trusted);
    for (const std::size_t sentinel : {0U, 1U, 2U}) static_cast<void>(says(sentinel, master, epoch));
    ASSERT_EQ(votes.where(), master);
  }
};

TEST_F(MasterVotesTest, TheFirstAddressTakesMoreThanHalf) {
  EXPECT_FALSE(says(0, kA, 4));
  EXPECT_EQ(votes.where(), std::nullopt);
  EXPECT_EQ(votes.round(), Round::open);
  EXPECT_TRUE(says(1, kB, 5));
  EXPECT_EQ(votes.where(), kB);
  EXPECT_EQ(votes.round(), Round::decided);
  EXPECT_FALSE(says(2, kA, 4));
  EXPECT_EQ(votes.where(), kB);
}

TEST_F(MasterVotesTest, OneIsEnoughWhenNoOtherIsLeft) {
  EXPECT_FALSE(says(0, kA, 4));
  EXPECT_FALSE(silent(1));
  EXPECT_TRUE(silent(2));
  EXPECT_EQ(votes.where(), kA);
}

TEST_F(MasterVotesTest, AnIgnorantOneDoesNotOutweighOneThatKnows) {
  EXPECT_FALSE(unknown(0));
  EXPECT_FALSE(unknown(1));
  EXPECT_TRUE(says(2, kA, 1));
  EXPECT_EQ(votes.round(), Round::decided);
}

TEST_F(MasterVotesTest, UnknownIsNotUnreachable) {
  EXPECT_FALSE(silent(0));
  EXPECT_FALSE(unknown(1));
  EXPECT_EQ(votes.round(), Round::open);
  EXPECT_FALSE(silent(2));
  EXPECT_EQ(votes.round(), Round::unknown_name);
  votes.begin(Known::trusted);
  for (const std::size_t sentinel : {0U, 1U, 2U}) EXPECT_FALSE(silent(sentinel));
  EXPECT_EQ(votes.round(), Round::unreachable);
}

TEST_F(MasterVotesTest, AHigherEpochIsTakenAtOnceAndALowerOneNever) {
  know(kA, 4);
  votes.begin(Known::trusted);
  EXPECT_TRUE(says(2, kB, 5));
  EXPECT_EQ(votes.where(), kB);
  EXPECT_FALSE(says(0, kA, 4));
  EXPECT_FALSE(says(1, kA, 4));
  EXPECT_EQ(votes.where(), kB);
  votes.begin(Known::trusted);
  for (const std::size_t sentinel : {0U, 1U, 2U}) EXPECT_FALSE(says(sentinel, kA, 4));
  EXPECT_EQ(votes.where(), kB);
}

TEST_F(MasterVotesTest, ASwitchIsTakenAtOnceAndOldVotesDoNotLeadBack) {
  know(kA, 4);
  EXPECT_TRUE(votes.on_switch(kA, kB, now));
  EXPECT_EQ(votes.where(), kB);
  votes.begin(Known::trusted);
  EXPECT_FALSE(says(0, kA, 4));
  EXPECT_FALSE(says(1, kA, 4));
  EXPECT_FALSE(says(2, kB, 5));  // no news but for the epoch
  EXPECT_EQ(votes.where(), kB);
  votes.begin(Known::trusted);
  EXPECT_FALSE(says(0, kA, std::nullopt));
  EXPECT_FALSE(says(1, kA, std::nullopt));
  EXPECT_EQ(votes.where(), kB);
  EXPECT_TRUE(votes.on_switch(kB, kA, now)) << "a switch does lead back";
}

TEST_F(MasterVotesTest, ALateSwitchDoesNotUndoALaterOne) {
  know(kA, 4);
  EXPECT_TRUE(votes.on_switch(kA, kB, now));
  EXPECT_TRUE(votes.on_switch(kB, kC, now));
  EXPECT_FALSE(votes.on_switch(kA, kB, now));
  EXPECT_EQ(votes.where(), kC);
}

TEST_F(MasterVotesTest, ASwitchOfNothingKnownIsNotTaken) {
  EXPECT_FALSE(votes.on_switch(kA, kB, now));
  EXPECT_EQ(votes.where(), std::nullopt);
}

TEST_F(MasterVotesTest, WithoutEpochsMostDecide) {
  EXPECT_FALSE(says(0, kA, std::nullopt));
  EXPECT_TRUE(says(1, kB, std::nullopt));
  EXPECT_EQ(votes.where(), kA) << "as many for each: the first";
  EXPECT_TRUE(says(2, kB, std::nullopt));
  EXPECT_EQ(votes.where(), kB);
  votes.begin(Known::trusted);
  EXPECT_FALSE(says(0, kA, std::nullopt)) << "one of three";
  EXPECT_FALSE(silent(1));
  EXPECT_FALSE(silent(2));
  EXPECT_EQ(votes.where(), kB);
}

TEST_F(MasterVotesTest, AfterAWhileMostLeadBackEvenToWhatWasLeft) {
  know(kA, std::nullopt);
  EXPECT_TRUE(votes.on_switch(kA, kB, now));
  now += std::chrono::seconds{31};
  votes.begin(Known::trusted);
  EXPECT_FALSE(says(0, kA, std::nullopt));
  EXPECT_TRUE(says(1, kA, std::nullopt));
  EXPECT_EQ(votes.where(), kA);
}

TEST_F(MasterVotesTest, AnotherSpellingOfTheSameEpochIsTakenFromMost) {
  know(kA, 4);
  const Endpoint by_name{.host = "redis-0", .port = 6379};
  votes.begin(Known::trusted);
  EXPECT_FALSE(says(0, by_name, 4));
  EXPECT_TRUE(says(1, by_name, 4));
  EXPECT_EQ(votes.where(), by_name);
}

TEST_F(MasterVotesTest, ADoubtLastsUntilTheRoundDecides) {
  know(kA, 4);
  votes.begin(Known::in_doubt);
  EXPECT_EQ(votes.where(), std::nullopt);
  EXPECT_FALSE(says(0, kA, 4));
  EXPECT_EQ(votes.where(), std::nullopt);
  votes.begin(Known::trusted);
  EXPECT_EQ(votes.where(), std::nullopt) << "a new round is no answer";
  EXPECT_FALSE(says(0, kA, 4));
  EXPECT_FALSE(says(1, kA, 4));
  EXPECT_EQ(votes.where(), kA);
}

TEST_F(MasterVotesTest, WhenNobodyAnswersTheOldAddressIsBetterThanNone) {
  know(kA, 4);
  votes.begin(Known::in_doubt);
  for (const std::size_t sentinel : {0U, 1U, 2U}) EXPECT_FALSE(silent(sentinel));
  EXPECT_EQ(votes.where(), kA);
  EXPECT_EQ(votes.round(), Round::unreachable);
}

TEST_F(MasterVotesTest, NewsEndADoubtAtOnce) {
  know(kA, 4);
  votes.begin(Known::in_doubt);
  EXPECT_TRUE(says(1, kB, 5));
  EXPECT_EQ(votes.where(), kB);
}

}  // namespace
}  // namespace sluice::store::redis
