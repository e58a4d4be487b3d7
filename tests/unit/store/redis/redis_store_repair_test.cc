// Aim: after attaching to another history the store debits again what that lacks, says so, and only then
// serves; joins so that the next master knows of it; and stays known. Nothing that fails on the way leads to
// serving. Method: as in redis_store_test.cc.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "unit/store/redis/redis_store_fixture.h"

namespace sluice::store::redis {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct RepairTest : RedisStoreTest {
  static constexpr const char* kNewHistory = "1 run 7\n2 run2 40";  // of debit 41, see answer()

  /// Has 8 tokens granted as debit 41 of the first history.
  void serve_and_lease(std::uint64_t tag = 1) {
    if (!store) serve();
    EXPECT_FALSE(lease(tag).has_value());
    static_cast<void>(heard());
    say(answer(kDone, 6));
    EXPECT_EQ(error_of(tag), std::nullopt);
  }
  /// After that the connection is lost, and the next one is to a server whose answer is still to come.
  void move() {
    store->drop("moved");
    loop.turn();
    static_cast<void>(log.take());
    reconnect();
  }
  [[nodiscard]] static std::string lacking(bool acknowledged = false) {
    return attached({.generation = 2, .run = "run2", .lines = kNewHistory, .acknowledged = acknowledged});
  }
};

TEST_F(RepairTest, RebooksThenSaysSoThenServes) {
  serve_and_lease();
  move();
  const Command attach = heard_one();
  EXPECT_EQ(attach[7], "0") << "there are debits";
  say(lacking());
  EXPECT_FALSE(store->serving());
  EXPECT_EQ(lease(2).value().error, StoreError::unavailable);

  const Command rebook = heard_one();
  ASSERT_EQ(rebook.size(), 14U);
  EXPECT_EQ(rebook[1], sha(Script::rebook));
  EXPECT_EQ(rebook[3], "sluice:rule:x");
  EXPECT_EQ(rebook[4], "sluice:@meta");
  EXPECT_EQ(rebook[5], "2");
  EXPECT_EQ(rebook[6], "run2");
  EXPECT_EQ(rebook[12], "8");
  EXPECT_EQ(rebook[13], std::to_string(kNowUs + 5'000'000 - 1)) << "in its window";
  say(answer(kDone, 8));
  EXPECT_FALSE(store->serving());
  EXPECT_TRUE(log.take().empty());

  const Command announce = heard_one();
  EXPECT_EQ(Command(announce.begin(), announce.begin() + 5),
            (Command{"EVALSHA", sha(Script::announce), "1", "sluice:@meta", std::string(store->self())}));
  EXPECT_EQ(Command(announce.begin() + 6, announce.end()), (Command{"2", "run2", "0"}));
  say(announced(std::string(store->self())));
  EXPECT_TRUE(store->serving());
  EXPECT_EQ(log.take(), (Lines{"serving, new history"}));
  EXPECT_EQ(store->counters().rebooked_keys, 1U);
  EXPECT_EQ(store->counters().rebooked_tokens, 8U);

  // It is a debit of the second history now.
  move();
  static_cast<void>(heard());
  say(lacking(true));
  EXPECT_TRUE(store->serving());
  EXPECT_TRUE(heard().empty());
}

TEST_F(RepairTest, WhatIsProvenIsNotRebooked) {
  serve_and_lease();
  move();
  static_cast<void>(heard());
  say(attached({.generation = 2, .run = "run2", .lines = "1 run 7\n2 run2 41", .acknowledged = false}));
  EXPECT_EQ(heard_one()[1], sha(Script::announce));
  say(announced(""));
  EXPECT_TRUE(store->serving());
  EXPECT_EQ(store->counters().rebooked_keys, 0U);
}

TEST_F(RepairTest, WithoutDebitsThereIsNothingToSay) {
  serve();
  EXPECT_EQ(store->counters().ledger_keys, 0U);
  move();
  EXPECT_EQ(heard_one()[7], "1");
  say(lacking(true));
  EXPECT_TRUE(store->serving());
  EXPECT_TRUE(heard().empty());
}

TEST_F(RepairTest, GiveBacksShrinkWhatIsRebooked) {
  serve_and_lease();
  EXPECT_FALSE(give_back(2, store->generation_of("")).has_value());  // 5, by the application
  static_cast<void>(heard());
  say(answer(kDone));
  EXPECT_FALSE(give_back(3, store->generation_of("")).has_value());
  say("-OOM no\r\n");  // is no give-back
  static_cast<void>(heard());
  EXPECT_FALSE(give_back(4, store->generation_of("")).has_value());
  move();  // and this one's outcome is unknown
  static_cast<void>(heard());
  say(lacking());
  EXPECT_EQ(heard_one()[12], "3");
}

TEST_F(RepairTest, ResetsAndEndedWindowsAreNotRebooked) {
  serve_and_lease();
  EXPECT_FALSE(store->reset("rule:x", limit, 2).has_value());
  static_cast<void>(heard());
  say(answer(kDone));
  move();
  EXPECT_EQ(heard_one()[7], "1");
  say(attached(1, "run"));
  serve_and_lease(3);
  loop.advance(seconds{16});  // the window ended after 5
  move();
  EXPECT_EQ(heard_one()[7], "1");
}

TEST_F(RepairTest, LostRepliesAreNotRebooked) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  move();
  EXPECT_EQ(error_of(1), StoreError::unknown);
  EXPECT_EQ(heard_one()[7], "1");
}

TEST_F(RepairTest, RequestsWaitForTheRepairOfAHistoryThatBeganMeanwhile) {
  serve_and_lease();
  EXPECT_FALSE(lease(2).has_value());
  EXPECT_FALSE(lease(3).has_value());
  static_cast<void>(heard());
  say(answer(kOtherLineage));
  EXPECT_EQ(heard_one()[1], sha(Script::attach));
  say(answer(kOtherLineage) + lacking());
  EXPECT_EQ(heard_one()[1], sha(Script::rebook));
  say(answer(kDone, 8));
  EXPECT_EQ(heard_one()[1], sha(Script::announce));
  say(announced(""));
  const auto commands = heard();
  ASSERT_EQ(commands.size(), 2U);
  for (const Command& command : commands) {
    EXPECT_EQ(command[1], sha(Script::lease));
    EXPECT_EQ(command[6], "run2");
  }
  say(answer(kDone) + answer(kDone));
  EXPECT_EQ(error_of(2), std::nullopt);
  EXPECT_EQ(error_of(3), std::nullopt);
}

TEST_F(RepairTest, OthersThatRepairAreWaitedFor) {
  serve();
  EXPECT_FALSE(lease(1).has_value());
  say(answer(kRepairing));
  EXPECT_EQ(error_of(1), StoreError::unavailable) << "nothing was done";
  EXPECT_EQ(store->counters().repairing, 1U);
  EXPECT_TRUE(store->serving());
}

TEST_F(RepairTest, RebooksWholeScriptsAndInTheRightCalendar) {
  serve_and_lease();
  move();
  static_cast<void>(heard());
  say(lacking());
  static_cast<void>(heard());
  say(kNoScript);
  EXPECT_EQ(heard_one()[1], scripts[Script::rebook].source);
  say(answer(kOutsideCalendar));
  EXPECT_EQ(heard_one()[1], sha(Script::rebook));
  say(answer(kDone, 8));
  EXPECT_EQ(heard_one()[1], sha(Script::announce));
  say(kNoScript);
  EXPECT_EQ(heard_one()[1], scripts[Script::announce].source);
  say(announced(""));
  EXPECT_TRUE(store->serving());
}

TEST_F(RepairTest, AHistoryThatEndsWhileItIsRepairedIsAttachedToAnew) {
  serve_and_lease();
  move();
  static_cast<void>(heard());
  say(lacking());
  static_cast<void>(heard());
  say(answer(kOtherLineage));
  EXPECT_EQ(heard_one()[1], sha(Script::attach));
  say(attached(
      {.generation = 3, .run = "run3", .lines = "1 run 7\n2 run2 40\n3 run3 40", .acknowledged = false}));
  EXPECT_EQ(heard_one()[6], "run3");
  say(answer(kDone, 8));
  static_cast<void>(heard());
  say(announced("", kOtherLineage));
  EXPECT_EQ(heard_one()[1], sha(Script::attach));
  EXPECT_FALSE(store->serving());
}

TEST_F(RepairTest, WhatFailsOnTheWayFailsTheConnection) {
  serve_and_lease();
  for (const std::string failure : {"-OOM no\r\n", "-READONLY no\r\n", "$2\r\nhm\r\n", ""}) {
    move();
    static_cast<void>(heard());
    say(lacking());
    EXPECT_EQ(heard_one()[1], sha(Script::rebook));
    if (failure.empty()) {
      loop.advance(kTimeout);
    } else {
      say(failure);
    }
    EXPECT_FALSE(store->serving());
    EXPECT_TRUE(connector.wire().closed) << failure;
  }
  reconnect();
  for (const std::string failure : {"-OOM no\r\n", "$2\r\nhm\r\n", ""}) {
    static_cast<void>(heard());
    say(lacking());
    static_cast<void>(heard());
    say(answer(kDone, 8));
    EXPECT_EQ(heard_one()[1], sha(Script::announce)) << failure;
    if (failure.empty()) {
      loop.advance(kTimeout);
    } else {
      say(failure);
    }
    EXPECT_FALSE(store->serving());
    EXPECT_TRUE(connector.wire().closed) << failure;
    reconnect();
    // What was rebooked is in the second history; the third lacks it.
    static_cast<void>(heard());
    say(attached({.generation = 1, .run = "other", .acknowledged = false}));
    static_cast<void>(heard());
    say(answer(kDone, 8) + announced(""));
    move();
  }
}

TEST_F(RepairTest, ACounterThatSomebodyOverwroteIsLeftAlone) {
  serve_and_lease();
  move();
  static_cast<void>(heard());
  say(lacking());
  static_cast<void>(heard());
  say("-SLUICEFOREIGN not ours\r\n");
  EXPECT_EQ(heard_one()[1], sha(Script::announce));
  say(announced(""));
  EXPECT_TRUE(store->serving());
}

TEST_F(RepairTest, ManyKeysAreRebookedInPortions) {
  serve();
  for (std::uint64_t tag = 1; tag <= 300; ++tag) {
    const std::vector<Need> needs = {{.cost = 1, .count = 1}};
    const std::string key = "rule:" + std::to_string(tag);
    EXPECT_FALSE(store->lease({.key = key, .limit = &limit, .needs = needs, .extra = 0}, tag).has_value());
    say(answer(kDone, 1));
  }
  EXPECT_EQ(store->counters().ledger_keys, 300U);
  move();
  static_cast<void>(heard());
  say(lacking());
  std::size_t rebooked = 0;
  while (rebooked < 300) {
    const auto commands = heard();
    ASSERT_FALSE(commands.empty());
    EXPECT_LE(commands.size(), 128U);
    for (const Command& command : commands) {
      EXPECT_EQ(command[1], sha(Script::rebook));
      say(answer(kDone, 3));
    }
    rebooked += commands.size();
  }
  EXPECT_EQ(rebooked, 300U);
  EXPECT_EQ(heard_one()[1], sha(Script::announce));
}

TEST_F(RepairTest, JoiningIsWaitedForOnOneReplica) {
  for (const std::string reply : {":1\r\n", ":0\r\n", "-NOPERM no\r\n"}) {
    start();
    connect();
    static_cast<void>(heard());
    say(attached({.is_new = true, .replicas = 2}));
    EXPECT_FALSE(store->serving());
    EXPECT_EQ(lease(1).value().error, StoreError::unavailable);
    EXPECT_EQ(heard_one(), (Command{"WAIT", "1", "125"})) << "half of the command's time";
    say(reply);
    EXPECT_TRUE(store->serving());
    EXPECT_EQ(store->counters().unreplicated_joins, reply == ":1\r\n" ? 0U : 1U) << reply;
  }
  start();
  connect();
  static_cast<void>(heard());
  say(attached({.is_new = true, .replicas = 2}));
  loop.advance(kTimeout);
  EXPECT_TRUE(connector.wire().closed);
  reconnect();
  static_cast<void>(heard());
  say(attached({.is_new = true, .replicas = 0}));
  EXPECT_TRUE(store->serving());
}

TEST_F(RepairTest, StaysKnownAndKnowsTheOthers) {
  announce_every = seconds{3};
  start();
  EXPECT_EQ(store->members(), Lines{std::string(store->self())});
  connect();
  static_cast<void>(heard());
  const std::string self(store->self());
  say(attached({.members = "ffffffffffffffff 0 " + self}));
  EXPECT_EQ(store->members(), (Lines{"0", self, "ffffffffffffffff"}));
  EXPECT_EQ(store->fleet_of("x").members.size(), 3U);
  EXPECT_EQ(store->fleet_of("x").self, self);
  loop.advance(seconds{3} - milliseconds{1});
  EXPECT_TRUE(heard().empty());
  loop.advance(milliseconds{1});
  EXPECT_EQ(heard_one()[1], sha(Script::announce));
  say(announced("0"));
  EXPECT_EQ(store->members(), (Lines{"0", self}));
  EXPECT_TRUE(store->serving());
  loop.advance(seconds{3});
  static_cast<void>(heard());
  say("-OOM no\r\n");
  EXPECT_TRUE(store->serving());
  EXPECT_EQ(log.take().back(), "oom: OOM no");
  loop.advance(seconds{3});
  static_cast<void>(heard());
  say(announced("", kOtherLineage));
  const Command attach = heard_one();
  EXPECT_EQ(attach[1], sha(Script::attach));
  EXPECT_EQ(attach[9], "0 " + self) << "data that was emptied knows nobody";
  say(attached(2, "run2"));
  EXPECT_EQ(log.take().back(), "serving, new history");
  store->drop("test");
  loop.turn();
  EXPECT_EQ(store->members(), Lines{self});
  while (!connector.trying()) loop.advance(milliseconds{1});
  loop.advance(seconds{1});
  store.reset();
  EXPECT_EQ(loop.timers(), 0U);
}

TEST_F(RepairTest, LeavesWhenItIsToldTo) {
  announce_every = seconds{3};
  serve();
  loop.advance(seconds{3});
  static_cast<void>(heard());
  store->leave();
  EXPECT_TRUE(heard().empty()) << "one is under way";
  say(announced(""));
  EXPECT_EQ(heard_one().back(), "1");
  say(kNoScript);
  const Command whole = heard_one();
  EXPECT_EQ(whole[0], "EVAL");
  EXPECT_EQ(whole.back(), "1");
  say(announced(""));
  loop.advance(seconds{10});
  EXPECT_TRUE(heard().empty());
}

}  // namespace
}  // namespace sluice::store::redis
