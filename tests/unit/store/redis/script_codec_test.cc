// Aim: requests become the arguments that scripts/common.lua names, and only what a script can answer is
// taken for an answer. Method: each argument and each number of an answer by hand. That the scripts
// understand them is shown on a real server by tests/property/store.
#include "store/redis/script_codec.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "store/redis/reply.h"
#include "store/store.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis {
namespace {

using limiter::Algorithm;
using limiter::CalendarUnit;
using limiter::kMaxInteger;
using limiter::Limit;
using limiter::testing::bucket;
using limiter::testing::calendar_window;
using limiter::testing::kDay;
using limiter::testing::make;
using namespace std::chrono_literals;

const CallContext kContext{
    .lineage = {.generation = 7, .run = "abc.nonce"}, .client_time = {}, .expected_now = kDay};

Reply integer(std::int64_t n) {
  return {.kind = Reply::Kind::integer, .integer = n};
}

Reply string(std::string text) {
  return {.kind = Reply::Kind::string, .text = std::move(text)};
}

Reply answer(std::initializer_list<std::int64_t> numbers) {
  Reply reply{.kind = Reply::Kind::array};
  for (const std::int64_t n : numbers) reply.items.push_back(integer(n));
  return reply;
}

std::string identity(const Limit& limit) {
  return encode_reset(kContext, limit).at(4);
}

TEST(ScriptCodec, EveryScriptBeginsWithLineageTimeAndLimit) {
  EXPECT_EQ(encode_reset(kContext, bucket(100, 60s)),
            (Arguments{"7", "abc.nonce", "", "b", "100 60000000", "100", ""}));
  CallContext at_client = kContext;
  at_client.client_time = kDay + 1'999ns;
  EXPECT_EQ(encode_reset(at_client, make(Algorithm::fixed_window, 5, 1s)),
            (Arguments{"7", "abc.nonce", "1768435200000001", "f", "1000000", "5", ""}));
  at_client.client_time = WallTime{-1s};
  EXPECT_EQ(encode_reset(at_client, bucket(1, 1s)).at(2), "0");
}

TEST(ScriptCodec, IdentitiesTellLimitsApart) {
  EXPECT_EQ(identity(bucket(100, 60s, 150)), "100 60000000 150 1");
  EXPECT_EQ(identity(bucket(0, 1s)), "0 1000000");
  const Limit coarse = bucket(1'000'000'007, 24h);
  ASSERT_GT(coarse.tick_us(), 1);
  EXPECT_EQ(identity(coarse), "1000000007 86400000000 1000000007 " + std::to_string(coarse.tick_us()));
  EXPECT_EQ(identity(make(Algorithm::sliding_window_log, 10, 1s)), "10 1000000 1");
  EXPECT_EQ(identity(make(Algorithm::sliding_window_log, 5'000, 1s)), "5000 1000000 1000");
  EXPECT_EQ(identity(make(Algorithm::sliding_window_counter, 10, 1s)), "10 1000000 1");
}

TEST(ScriptCodec, CalendarLimitsCarryThreeWindows) {
  const Arguments utc = encode_reset(kContext, calendar_window(10, CalendarUnit::day));
  EXPECT_EQ(utc.at(3), "c");
  EXPECT_EQ(utc.at(4).size(), 9);
  EXPECT_EQ(utc.at(6), "1768348800 1768435200 1768521600 1768608000");

  // Clocks in Berlin went forward on 2025-03-30: that day had 23 hours.
  CallContext spring = kContext;
  spring.expected_now = WallTime{std::chrono::seconds{1'743'334'200}};  // 2025-03-30T13:30 in Berlin
  const Arguments berlin = encode_reset(spring, calendar_window(10, CalendarUnit::day, "Europe/Berlin"));
  EXPECT_EQ(berlin.at(6), "1743202800 1743289200 1743372000 1743458400");

  const std::string month = identity(calendar_window(10, CalendarUnit::month, "Europe/Berlin"));
  EXPECT_EQ(month.front(), 'm');
  EXPECT_EQ(month.substr(1), berlin.at(4).substr(1)) << "one zone has one mark";
  EXPECT_NE(berlin.at(4).substr(1), utc.at(4).substr(1));
  EXPECT_EQ(identity(calendar_window(99, CalendarUnit::day, "Europe/Berlin")), berlin.at(4));

  // In the west, the first windows of all begin before 1970.
  CallContext first = kContext;
  first.expected_now = WallTime{};
  const Arguments west = encode_reset(first, calendar_window(1, CalendarUnit::year, "America/New_York"));
  EXPECT_EQ(west.at(6).front(), '-');
}

TEST(ScriptCodec, LeasesCarryTheirNeeds) {
  const Limit limit = bucket(100, 60s);
  const std::array needs{Need{.cost = 3, .count = 2}, Need{.cost = kMaxInteger, .count = 4'294'967'295}};
  const LeaseRequest request{.key = "k", .limit = &limit, .needs = needs, .extra = kMaxInteger + 1};
  const Arguments arguments = encode_lease(kContext, request);
  ASSERT_EQ(arguments.size(), 12);
  EXPECT_EQ(arguments.at(7), "9007199254740991") << "what nobody has is not wished for";
  EXPECT_EQ(Arguments(arguments.begin() + 8, arguments.end()),
            (Arguments{"3", "2", "9007199254740991", "4294967295"}));
  EXPECT_EQ(encode_lease(kContext, {.key = "k", .limit = &limit, .needs = {}}).size(), 8);
}

TEST(ScriptCodec, WhatComesBackSaysWhenItWasTaken) {
  const Limit limit = bucket(100, 60s);
  GiveBack request{.key = "k", .limit = &limit, .tokens = 5, .granted_at = kDay};
  EXPECT_EQ(encode_give_back(kContext, request).at(7), "5");
  EXPECT_EQ(encode_give_back(kContext, request).at(8), "1768435200000000");
  request.granted_at.reset();
  EXPECT_EQ(encode_give_back(kContext, request).at(8), "");
  EXPECT_EQ(encode_peek(kContext, limit, 9).at(7), "9");
}

TEST(ScriptCodec, WhatIsRebookedSaysInWhichWindow) {
  const Limit limit = make(Algorithm::fixed_window, 5, 1min);
  const std::array lost{Lost{.tokens = 3, .moment = kDay}, Lost{.tokens = 4}};
  const Arguments arguments = encode_rebook(kContext, limit, lost);
  ASSERT_EQ(arguments.size(), 11);
  EXPECT_EQ(Arguments(arguments.begin() + 7, arguments.end()), (Arguments{"3", "1768435200000000", "4", ""}));
}

TEST(ScriptCodec, AnswersBecomeGrants) {
  const auto decoded = decode_answer(answer({0, 5, 2, 93, 0, 1'000, 2'000, 1'768'435'200'000'000, 41}));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(decoded->answered, Answered::done);
  EXPECT_EQ(decoded->now, kDay);
  const Grant& grant = decoded->grant;
  EXPECT_EQ(grant.granted_needs, 5);
  EXPECT_EQ(grant.granted_extra, 2);
  EXPECT_EQ(grant.remaining, 93);
  EXPECT_EQ(grant.retry_after, Duration::zero());
  EXPECT_EQ(grant.reset_after, 1ms);
  EXPECT_EQ(grant.ends_after, 2ms);
  EXPECT_EQ(grant.granted_at, kDay);
  EXPECT_EQ(grant.seq, 41);
}

TEST(ScriptCodec, NeverAndEndlessAreNotNumbers) {
  const auto never = decode_answer(answer({0, 0, 0, 0, -1, -2, -1, 0, 0}));
  ASSERT_TRUE(never);
  EXPECT_EQ(never->grant.retry_after, kNever);
  EXPECT_EQ(never->grant.reset_after, Duration::max());
  EXPECT_FALSE(never->grant.ends_after);
  const auto endless = decode_answer(answer({0, 0, 0, 0, -2, kMaxInteger, -2, kMaxInteger, kMaxInteger}));
  ASSERT_TRUE(endless);
  EXPECT_EQ(endless->grant.retry_after, Duration::max());
  EXPECT_EQ(endless->grant.reset_after, std::chrono::microseconds(kMaxInteger));
  EXPECT_EQ(endless->grant.ends_after, Duration::max());
}

TEST(ScriptCodec, RefusalsSayWhy) {
  EXPECT_EQ(decode_answer(answer({1, 0, 0, 0, 0, 0, -1, 0, 0}))->answered, Answered::other_lineage);
  const auto outside = decode_answer(answer({2, 0, 0, 0, 0, 0, -1, 1'768'435'200'000'000, 3}));
  EXPECT_EQ(outside->answered, Answered::outside_calendar);
  EXPECT_EQ(outside->now, kDay);
  EXPECT_EQ(decode_answer(answer({3, 0, 0, 0, 0, 0, -1, 0, 0}))->answered, Answered::repairing);
}

TEST(ScriptCodec, AnythingElseIsNoAnswer) {
  const std::vector<std::int64_t> sound{0, 5, 2, 93, 0, 1'000, 2'000, 4'000, 41};
  for (std::size_t i = 0; i < sound.size(); ++i) {
    for (const std::int64_t wrong : {std::int64_t{-3}, INT64_MIN, kMaxInteger + 1, INT64_MAX}) {
      Reply reply = answer({0, 5, 2, 93, 0, 1'000, 2'000, 4'000, 41});
      reply.items.at(i).integer = wrong;
      EXPECT_FALSE(decode_answer(reply)) << i << ' ' << wrong;
    }
    Reply reply = answer({0, 5, 2, 93, 0, 1'000, 2'000, 4'000, 41});
    reply.items.at(i) = string("0");
    EXPECT_FALSE(decode_answer(reply)) << i;
    const bool may_be_negative = i == 4 || i == 6;
    reply.items.at(i) = integer(-1);
    EXPECT_EQ(decode_answer(reply).has_value(), may_be_negative) << i;
  }
  EXPECT_FALSE(decode_answer(answer({4, 0, 0, 0, 0, 0, -1, 0, 0}))) << "no such status";
  EXPECT_FALSE(decode_answer(answer({0, 0, 0, 0, 0, 0, -1, 0})));
  EXPECT_FALSE(decode_answer(answer({0, 0, 0, 0, 0, 0, -1, 0, 0, 0})));
  EXPECT_FALSE(decode_answer(Reply{}));
  EXPECT_FALSE(decode_answer(integer(0)));
  const Reply error{.kind = Reply::Kind::error, .text = "OOM command not\nallowed"};
  const auto refused = decode_answer(error);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("OOM command not\\x0aallowed"), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace sluice::store::redis
