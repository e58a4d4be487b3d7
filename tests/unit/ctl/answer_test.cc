// Aim: sluicectl prints what people and machines can use. Method: exact texts.
#include "ctl/answer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "rules/policy.h"
#include "rules/spec.h"
#include "wire/resp/reply_parser.h"

namespace sluice::ctl {
namespace {

using namespace std::chrono_literals;

Answer denied() {
  return {.allowed = false,
          .limit = 5,
          .remaining = 0,
          .retry_after_ms = 11'800,
          .reset_after_ms = 3'600'000,
          .rule = "per-user",
          .warning = true};
}

TEST(ForPeople, SaysWhatHappenedAndWhatToDo) {
  EXPECT_EQ(for_people(denied()), "denied by per-user: 0 of 5 left, retry in 11.8 s, full in 60 min");
  Answer answer = denied();
  answer.retry_after_ms = -1;
  answer.reset_after_ms = 0;
  EXPECT_EQ(for_people(answer), "denied by per-user: 0 of 5 left, waiting does not help");
  answer.allowed = true;
  answer.retry_after_ms = 0;
  EXPECT_EQ(for_people(answer), "allowed by per-user: 0 of 5 left (warning: near the limit)");
  answer.warning = false;
  answer.degraded = true;
  EXPECT_EQ(for_people(answer),
            "allowed by per-user: 0 of 5 left (by the failure policy: the store did not answer)");
  EXPECT_EQ(for_people(Answer{.allowed = true, .limit = -1, .remaining = -1, .rule = ""}),
            "allowed: no limit applies");
}

TEST(ForMachines, UsesTheNamesOfTheProtocols) {
  EXPECT_EQ(for_machines(denied()),
            R"({"allowed":false,"limit":5,"remaining":0,"retry_after_ms":11800,)"
            R"("reset_after_ms":3600000,"rule":"per-user","warning":true,"degraded":false})");
}

TEST(ReadAnswer, TakesTheMapAndNothingElse) {
  const std::string bytes =
      "%7\r\n$7\r\nallowed\r\n#t\r\n$5\r\nlimit\r\n:5\r\n$9\r\nremaining\r\n:4\r\n$14\r\nretry_after_ms\r\n:"
      "0\r\n"
      "$14\r\nreset_after_ms\r\n:12\r\n$4\r\nrule\r\n$1\r\nr\r\n$7\r\nwarning\r\n#f\r\n";
  wire::resp::Value value;
  std::size_t consumed = 0;
  std::string error;
  ASSERT_EQ(wire::resp::parse_reply(bytes, {}, value, consumed, error), wire::resp::ParseStatus::complete);
  const auto answer = read_answer(value);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->allowed);
  EXPECT_EQ(answer->remaining, 4);
  EXPECT_EQ(answer->reset_after_ms, 12);
  EXPECT_EQ(answer->rule, "r");
  value.kind = wire::resp::Value::Kind::array;
  EXPECT_FALSE(read_answer(value));
}

TEST(Explain, SaysHowTokensAreLeased) {
  rules::LeaseSettings lease{.target = 500ms, .ttl = 1min, .slack = 0.5, .min = 2, .max = 200, .initial = 3};
  rules::Explanation rule{
      .rule = "a", .matches = true, .reason = "r", .limit = "5/s", .key = "k", .lease = lease};
  EXPECT_EQ(for_people({rule}, false),
            "+ a: r\n    limit 5/s, counter k\n"
            "    leased, target 500ms, ttl 1m, slack 0.5, min 2, max 200, initial 3\n");
  EXPECT_EQ(
      for_machines({rule}, false),
      R"({"bypassed":false,"rules":[{"rule":"a","matches":true,"reason":"r","limit":"5/s","key":"k",)"
      R"("mode":"leased","lease":{"target":"500ms","ttl":"1m","slack":5E-1,"min":2,"max":200,"initial":3}}]})"
      "\n");
  rule.lease->exact = true;
  EXPECT_EQ(for_people({rule}, false), "+ a: r\n    limit 5/s, counter k\n    exact\n");
  EXPECT_EQ(for_machines({rule}, false),
            R"({"bypassed":false,"rules":[{"rule":"a","matches":true,"reason":"r","limit":"5/s","key":"k",)"
            R"("mode":"exact","lease":null}]})"
            "\n");
  rule.lease.reset();
  EXPECT_EQ(for_people({rule}, false), "+ a: r\n    limit 5/s, counter k\n");
  EXPECT_EQ(for_machines({rule}, false),
            R"({"bypassed":false,"rules":[{"rule":"a","matches":true,"reason":"r","limit":"5/s","key":"k",)"
            R"("mode":"","lease":null}]})"
            "\n");
}

TEST(Explain, ListsEveryRule) {
  const std::vector<rules::Explanation> rules{
      {.rule = "a", .matches = true, .reason = "user=\"7\" matches \"*\"", .limit = "5/minute", .key = "a"},
      {.rule = "b", .matches = false, .reason = "descriptor \"path\" is absent", .limit = "", .key = ""}};
  EXPECT_EQ(
      for_people(rules, false),
      "+ a: user=\"7\" matches \"*\"\n    limit 5/minute, counter a\n- b: descriptor \"path\" is absent\n");
  EXPECT_EQ(for_people({}, false), "no rules: everything is allowed\n");
  EXPECT_EQ(for_people(rules, true), "a [[bypass]] matches: allowed, nothing is counted\n");
}

}  // namespace
}  // namespace sluice::ctl
