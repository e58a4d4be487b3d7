// Aim: the ledger names exactly the debits that a history is not proven to hold, and forgets none that still
// counts. Method: grants by hand, for each algorithm; lines of histories by hand.
#include "store/redis/ledger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "store/redis/lineage.h"
#include "store/store.h"
#include "support/virtual_loop.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis {
namespace {

using limiter::Algorithm;
using limiter::Limit;
using limiter::testing::bucket;
using limiter::testing::kDay;
using limiter::testing::make;
using namespace std::chrono_literals;
using Strings = std::vector<std::string>;
using Lines = std::vector<LineageLine>;
using All = std::vector<Lost>;

const Lineage kFirst{.generation = 1, .run = "a"};
const Lineage kSecond{.generation = 2, .run = "b"};
const Lineage kThird{.generation = 3, .run = "c"};
constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

TEST(Lineages, HoldAPrefixOfEachHistory) {
  const Lines lines{
      {.lineage = kFirst, .start = 0}, {.lineage = kSecond, .start = 10}, {.lineage = kThird, .start = 15}};
  EXPECT_EQ(last_held(lines, kFirst), 10U);
  EXPECT_EQ(last_held(lines, kSecond), 15U);
  EXPECT_EQ(last_held(lines, kThird), kAll);
  EXPECT_EQ(last_held(lines, {.generation = 2, .run = "a"}), 0U);
  EXPECT_EQ(last_held(lines, {.generation = 1, .run = "b"}), 0U) << "a sister of the second";
  EXPECT_EQ(last_held({}, kFirst), 0U);
}

TEST(Lineages, AreReadFromLines) {
  EXPECT_EQ(parse_lines("1 a 0\n2 b 10"),
            (Lines{{.lineage = kFirst, .start = 0}, {.lineage = kSecond, .start = 10}}));
  EXPECT_EQ(parse_lines(""), Lines{});
  for (const char* wrong : {"1 a", "1 a -1", "x a 0", "1 a 0\n\n2 b 1", "1  0", "1 a 0 0"}) {
    EXPECT_FALSE(parse_lines(wrong)) << wrong;
  }
}

struct LedgerTest : testing::Test {
  test::SeededRandom random;
  Ledger ledger{random, 100, 5s};
  Instant now{1h};
  Instant began{1h};  ///< of the last history
  const Limit tokens = bucket(100, 100s);
  const Limit window = make(Algorithm::fixed_window, 100, 60s);
  const Limit sliding = make(Algorithm::sliding_window_counter, 100, 60s);
  const Limit log = make(Algorithm::sliding_window_log, 100, 60s);
  /// The second history began after debit 10 of the first.
  const Lines lines{{.lineage = kFirst, .start = 0}, {.lineage = kSecond, .start = 10}};

  void book(const Limit& limit, std::uint64_t seq, std::int64_t amount, Duration reset_after,
            WallTime granted_at = kDay, const Lineage& lineage = kFirst, const std::string& key = "k") {
    Grant grant;
    grant.seq = seq;
    grant.granted_at = granted_at;
    grant.reset_after = reset_after;
    ledger.book(key, limit, lineage, grant, amount, now);
  }
  [[nodiscard]] All lost(const std::string& key = "k") const { return ledger.lost(key, lines, began, now); }
};

TEST_F(LedgerTest, NamesWhatIsNotProven) {
  book(tokens, 9, 1, 50s);
  book(tokens, 10, 2, 50s);
  EXPECT_EQ(lost(), All{});
  EXPECT_EQ(ledger.unproven(lines, began, now), Strings{});
  book(tokens, 11, 4, 50s);
  EXPECT_EQ(lost(), All{{.tokens = 4}});
  EXPECT_EQ(ledger.unproven(lines, began, now), Strings{"k"});
  book(tokens, 12, 8, 50s, kDay, kFirst, "other");
  EXPECT_EQ(ledger.unproven(lines, began, now).size(), 2U);
  EXPECT_EQ(ledger.lost("nobody", lines, began, now), All{});
  // Data that was emptied holds nothing.
  const Lines emptied{{.lineage = {.generation = 1, .run = "x"}, .start = 0}};
  EXPECT_EQ(ledger.lost("k", emptied, began, now), (All{{.tokens = 1}, {.tokens = 2}, {.tokens = 4}}));
}

TEST_F(LedgerTest, WhatWasRebookedIsOneDebitOfTheNewHistory) {
  book(tokens, 9, 1, 50s);
  book(tokens, 11, 2, 50s);
  book(tokens, 12, 4, 50s);
  Grant answer;
  answer.granted_needs = 6;
  answer.seq = 11;
  answer.granted_at = kDay;
  answer.reset_after = 30s;
  ledger.rebooked("k", lines, answer, now);
  EXPECT_EQ(lost(), All{});
  // The next history took over nothing of it.
  const Lines next{
      {.lineage = kFirst, .start = 0}, {.lineage = kSecond, .start = 10}, {.lineage = kThird, .start = 10}};
  EXPECT_EQ(ledger.lost("k", next, began, now), All{{.tokens = 6}});
  // One that came from the first without the second took over less.
  const Lines sister{{.lineage = kFirst, .start = 0}, {.lineage = kThird, .start = 8}};
  EXPECT_EQ(ledger.lost("k", sister, began, now), (All{{.tokens = 1}, {.tokens = 6}}));
}

TEST_F(LedgerTest, NothingIsBookedIfNothingWasRebooked) {
  book(window, 11, 2, 50s);
  Grant answer;
  ledger.rebooked("k", lines, answer, now);
  EXPECT_TRUE(ledger.empty());
  ledger.rebooked("nobody", lines, answer, now);
}

TEST_F(LedgerTest, TokensAreForgottenWhenTheBucketWouldBeFull) {
  book(tokens, 11, 4, 50s);
  now += 50s - 1ns;
  began = now;
  EXPECT_EQ(lost(), All{{.tokens = 4}});
  now += 1ns;
  EXPECT_EQ(lost(), All{{.tokens = 4}}) << "the bucket of the next history began full, and lacked them";
  EXPECT_EQ(ledger.unproven(lines, began, now), Strings{"k"});
  began = now;
  EXPECT_EQ(lost(), All{});
  EXPECT_EQ(ledger.unproven(lines, began, now), Strings{});
  now += 5s - 1ns;
  ledger.sweep(now);
  EXPECT_FALSE(ledger.empty()) << "a history may have begun that long before";
  now += 1ns;
  ledger.sweep(now);
  EXPECT_TRUE(ledger.empty());
  EXPECT_EQ(ledger.size(), 0U);
  book(tokens, 12, 4, Duration::max());
  now += 24h * 1000;
  EXPECT_EQ(lost(), All{{.tokens = 4}}) << "it never refills";
}

TEST_F(LedgerTest, AKeyLivesAsLongAsItsLastDebit) {
  book(tokens, 11, 4, 50s);
  now += 40s;
  book(tokens, 12, 3, 60s);
  now += 10s;
  began = now;
  ledger.sweep(now);
  EXPECT_EQ(ledger.size(), 1U);
  EXPECT_EQ(lost(), All{{.tokens = 3}});
  now += 50s + 5s;
  ledger.sweep(now);
  EXPECT_EQ(ledger.size(), 0U);
}

TEST_F(LedgerTest, WindowsAreNamedByAMomentInThem) {
  book(window, 11, 4, 20s);
  EXPECT_EQ(lost(), (All{{.tokens = 4, .moment = kDay + 20s - 1us}}));
  now += 29s;  // the clock of the next master may be behind
  EXPECT_EQ(lost().size(), 1U);
  now += 1s;
  EXPECT_EQ(lost(), All{});

  book(sliding, 12, 5, 80s, kDay, kFirst, "s");  // full at the end of the next window
  EXPECT_EQ(lost("s"), (All{{.tokens = 5, .moment = kDay + 20s - 1us}}));
  now += 89s;
  EXPECT_EQ(lost("s").size(), 1U) << "the previous window counts";
  now += 1s;
  EXPECT_EQ(lost("s"), All{});

  book(log, 13, 6, 60s, kDay, kFirst, "l");
  EXPECT_EQ(lost("l"), All{{.tokens = 6}}) << "as taken now";
}

TEST_F(LedgerTest, GiveBacksShrinkTheNewestFirst) {
  book(tokens, 11, 4, 50s);
  book(tokens, 12, 3, 50s);
  ledger.give_back("k", 5, kDay, now);
  EXPECT_EQ(lost(), All{{.tokens = 2}});
  ledger.give_back("k", 1, std::nullopt, now);
  EXPECT_EQ(lost(), All{{.tokens = 1}});
  ledger.give_back("k", 99, kDay, now);
  EXPECT_TRUE(ledger.empty());
  ledger.give_back("nobody", 1, kDay, now);
}

TEST_F(LedgerTest, GiveBacksOfOneWindowLeaveTheOthersAlone) {
  book(window, 11, 4, 20s, kDay + 40s);
  book(window, 12, 3, 60s, kDay + 60s);
  ledger.give_back("k", 9, kDay + 50s, now);
  EXPECT_EQ(lost(), (All{{.tokens = 3, .moment = kDay + 120s - 1us}}));
  book(window, 13, 2, 10s, kDay + 110s);
  book(window, 14, 1, 60s, kDay + 120s);
  ledger.give_back("k", 9, std::nullopt, now);
  EXPECT_EQ(lost().size(), 2U) << "unknown: of the newest window";
  ledger.give_back("k", 9, kDay - 1s, now);
  EXPECT_EQ(lost().size(), 2U);

  book(sliding, 11, 4, 80s, kDay + 40s, kFirst, "s");
  book(sliding, 12, 3, 120s, kDay + 60s, kFirst, "s");
  ledger.give_back("s", 2, kDay + 40s, now);
  ledger.give_back("s", 4, std::nullopt, now);
  EXPECT_EQ(lost("s"), (All{{.tokens = 1, .moment = kDay + 60s - 1us}})) << "the newer window first";
}

TEST_F(LedgerTest, GiveBacksOfALogShrinkOnlyTheirOwnEntry) {
  book(log, 11, 4, 60s, kDay);
  book(log, 12, 3, 60s, kDay + 1s);
  ledger.give_back("k", 9, std::nullopt, now);
  EXPECT_EQ(lost(), (All{{.tokens = 4}, {.tokens = 3}})) << "nobody knows whose entries it freed";
  ledger.give_back("k", 3, kDay, now);
  EXPECT_EQ(lost(), (All{{.tokens = 1}, {.tokens = 3}}));
}

TEST_F(LedgerTest, OlderDebitsAreAddedUp) {
  for (std::uint64_t seq = 9; seq < 9 + Ledger::kDebits; ++seq) book(tokens, seq, 1, 50s);
  EXPECT_EQ(lost(), (All{{.tokens = 1}, {.tokens = 1}}));
  book(tokens, 20, 1, 90s);  // 9 and 10 become one
  book(tokens, 21, 1, 90s);  // and 11 with them, which is lost
  EXPECT_EQ(lost(), (All{{.tokens = 3}, {.tokens = 1}, {.tokens = 1}, {.tokens = 1}}));
  for (std::uint64_t seq = 22; seq < 99; ++seq) book(tokens, seq, 1, 90s);
  std::int64_t sum = 0;
  for (const Lost& one : lost()) sum += one.tokens;
  EXPECT_EQ(sum, 4 + 2 + 77);
  now += 60s;
  sum = 0;
  for (const Lost& one : lost()) sum += one.tokens;
  EXPECT_EQ(sum, 4 + 2 + 77) << "a sum dies with the last of it";
}

TEST_F(LedgerTest, TheSumOfABucketIsNoMoreThanItHolds) {
  for (std::uint64_t seq = 11; seq < 99; ++seq) {
    book(tokens, seq, 30, 90s);
    book(window, seq, 30, 20s, kDay + 40s, kFirst, "w");
  }
  EXPECT_EQ(lost(), (All{{.tokens = 100}, {.tokens = 30}, {.tokens = 30}, {.tokens = 30}}));
  EXPECT_EQ(lost("w").front().tokens, 85 * 30) << "of a window each counts";
}

TEST_F(LedgerTest, OnlyDebitsOfOneWindowAreAddedUp) {
  for (int i = 0; i < 3; ++i) book(window, 11, 1, 20s, kDay + 40s);
  for (int i = 0; i < 3; ++i) book(window, 12, 1, 60s, kDay + 60s);
  std::int64_t former = 0;
  std::int64_t present = 0;
  for (const Lost& one : lost()) (one.moment < kDay + 60s ? former : present) += one.tokens;
  EXPECT_EQ(former, 3);
  EXPECT_EQ(present, 3);
  // Windows that are shorter than clocks may differ: those long over are dropped.
  for (int i = 1; i <= 9; ++i)
    book(make(Algorithm::fixed_window, 9, 1s), 20, 1, 1s, kDay + i * 1s, kFirst, "s");
  EXPECT_EQ(lost("s").size(), Ledger::kDebits);
  EXPECT_EQ(lost("s").back().moment, kDay + 10s - 1us);
  // Each entry of a log has a time of its own.
  for (int i = 1; i <= 9; ++i) book(log, 20, 1, 60s, kDay + i * 1s, kFirst, "l");
  EXPECT_EQ(lost("l").size(), Ledger::kDebits);
  EXPECT_EQ(lost("l").front().tokens, 6);
}

TEST_F(LedgerTest, UnderAnotherLimitTheWindowIsUnknown) {
  book(window, 11, 4, 20s);
  book(tokens, 12, 3, 50s);
  EXPECT_EQ(ledger.limit_of("k"), tokens);
  EXPECT_EQ(lost(), (All{{.tokens = 4}, {.tokens = 3}}));
  book(window, 13, 2, 60s);
  EXPECT_EQ(lost(), (All{{.tokens = 4}, {.tokens = 3}, {.tokens = 2, .moment = kDay + 60s - 1us}}));
  ledger.give_back("k", 9, kDay, now);
  EXPECT_EQ(lost(), (All{{.tokens = 4}, {.tokens = 3}}));
}

TEST_F(LedgerTest, ForgetsWhatWasReset) {
  book(tokens, 11, 4, 50s);
  ledger.forget("k");
  ledger.forget("nobody");
  EXPECT_TRUE(ledger.empty());
  book(tokens, 12, 1, 50s);
  EXPECT_EQ(lost(), All{{.tokens = 1}});
}

TEST_F(LedgerTest, DropsWhatDiesSoonestForWantOfRoom) {
  for (int i = 0; i < 100; ++i) book(tokens, 11, 1, 100s + i * 1s, kDay, kFirst, "k" + std::to_string(i));
  book(tokens, 12, 1, 300s, kDay, kFirst, "k0");  // lives on
  book(tokens, 12, 1, 5s, kDay, kFirst, "new");
  EXPECT_EQ(ledger.size(), 100U);
  EXPECT_EQ(ledger.counters().dropped, 1U);
  EXPECT_EQ(lost("k0").size(), 2U);
  EXPECT_EQ(lost("k1"), All{});
  EXPECT_EQ(lost("new").size(), 1U);
  ledger.forget("new");
  book(tokens, 12, 1, 5s, kDay, kFirst, "newer");
  EXPECT_EQ(ledger.counters().dropped, 1U) << "what has no debits is no loss";
  now += 1h;
  book(tokens, 12, 1, 5s, kDay, kFirst, "last");
  EXPECT_EQ(ledger.size(), 1U);
}

TEST_F(LedgerTest, HistoriesWithoutDebitsMakeRoom) {
  for (int i = 1; i <= 1'000; ++i) {
    const Lineage lineage{.generation = i, .run = std::to_string(i)};
    book(tokens, 5, 1, 1s, kDay, lineage);
    const Lines gone{{.lineage = {.generation = i + 1, .run = "x"}, .start = 4}};
    EXPECT_EQ(ledger.lost("k", gone, now, now).size(), 1U);
    const Lines held{{.lineage = lineage, .start = 0}};
    EXPECT_EQ(ledger.lost("k", held, now, now), All{});
    now += 1s;
  }
}

}  // namespace
}  // namespace sluice::store::redis
