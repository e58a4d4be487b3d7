// Aim: each header family says exactly what its specification has, for every algorithm and dialect. Method:
// tables of whole header lists; a run through the engine for each algorithm.
#include "server/http_headers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "unit/engine/fixture.h"
#include "unit/server/fixture.h"

namespace sluice::server {
namespace {

using namespace std::chrono_literals;
using Headers = std::map<std::string, std::string>;

constexpr WallTime kNow{1'800'000'000'500ms};

engine::RuleDecision part(std::string_view name, bool allowed, std::int64_t limit, std::int64_t remaining,
                          Duration retry, Duration reset, Duration window = 1min) {
  engine::RuleDecision part;
  part.decision = {.allowed = allowed,
                   .limit = limit,
                   .remaining = remaining,
                   .retry_after = retry,
                   .reset_after = reset,
                   .rule = name,
                   .warning = false};
  part.quota = limit;
  part.window = window;
  return part;
}

Headers headers(std::vector<engine::RuleDecision> rules, const HttpOptions& options = {}) {
  engine::CheckResult result;
  result.rules = std::move(rules);
  engine::decide(result);
  HeaderList list;
  append_rate_limit_headers(result, options, kNow, list);
  Headers out;
  for (const auto& [name, value] : list) {
    EXPECT_FALSE(out.contains(std::string(name))) << name << " stands twice";
    out[std::string(name)] = value;
  }
  return out;
}

TEST(HttpHeaders, AnAllowedCheck) {
  EXPECT_EQ(headers({part("per-user", true, 100, 50, 0ns, 30001ms)}),
            (Headers{{"X-RateLimit-Limit", "100"},
                     {"X-RateLimit-Remaining", "50"},
                     {"X-RateLimit-Reset", "31"},
                     {"RateLimit", R"("per-user";r=50;t=31)"},
                     {"RateLimit-Policy", R"("per-user";q=100;w=60)"}}));
}

TEST(HttpHeaders, ADenialHasRetryAfterAndTheSameWindow) {
  const Headers denied = headers({part("per-user", false, 5, 0, 1200ms, 60s)});
  EXPECT_EQ(denied.at("Retry-After"), "2");
  EXPECT_EQ(denied.at("RateLimit"), R"("per-user";r=0;t=2)");
  EXPECT_EQ(denied.at("X-RateLimit-Reset"), "60");
  EXPECT_EQ(headers({part("r", false, 5, 0, 1ns, 1ns)}).at("Retry-After"), "1") << "never 0";
}

TEST(HttpHeaders, NeverHasNoTime) {
  const Headers never = headers({part("r", false, 5, 5, kNever, 0ns)});
  EXPECT_FALSE(never.contains("Retry-After"));
  EXPECT_EQ(never.at("RateLimit"), R"("r";r=5)");
}

TEST(HttpHeaders, Dialects) {
  const std::vector<engine::RuleDecision> rules{part("a", true, 100, 50, 0ns, 5s),
                                                part("b", true, 1000, 900, 0ns, 40s, 24h)};
  HttpOptions options{.legacy = LegacyHeaders::off};
  options.ietf = IetfHeaders::draft6;
  EXPECT_EQ(headers(rules, options), (Headers{{"RateLimit-Limit", "100"},
                                              {"RateLimit-Remaining", "50"},
                                              {"RateLimit-Reset", "5"},
                                              {"RateLimit-Policy", "100;w=60, 1000;w=86400"}}));
  options.ietf = IetfHeaders::draft7;
  EXPECT_EQ(headers(rules, options), (Headers{{"RateLimit", "limit=100, remaining=50, reset=5"},
                                              {"RateLimit-Policy", "100;w=60, 1000;w=86400"}}));
  const std::string named = R"("a";q=100;w=60, "b";q=1000;w=86400)";
  options.ietf = IetfHeaders::draft8;
  EXPECT_EQ(headers(rules, options),
            (Headers{{"RateLimit", R"("a";r=50;t=5)"}, {"RateLimit-Policy", named}}));
  options.ietf = IetfHeaders::draft12;
  EXPECT_EQ(headers(rules, options),
            (Headers{{"RateLimit", R"("a";a=50;w=5)"}, {"RateLimit-Policy", named}}));
  options.ietf = IetfHeaders::both;
  EXPECT_EQ(headers(rules, options),
            (Headers{{"RateLimit", R"("a";r=50;t=5;a=50;w=5)"}, {"RateLimit-Policy", named}}));
  options.ietf = IetfHeaders::off;
  EXPECT_EQ(headers(rules, options), Headers{});
}

TEST(HttpHeaders, EpochIsRoundedUpToTheSecond) {
  EXPECT_EQ(
      headers({part("r", true, 5, 4, 0ns, 10s)}, {.legacy = LegacyHeaders::epoch}).at("X-RateLimit-Reset"),
      "1800000011");
  EXPECT_EQ(headers({part("r", true, 5, 5, 0ns, Duration::max())}, {.legacy = LegacyHeaders::epoch})
                .at("X-RateLimit-Reset"),
            "9223372037");
}

TEST(HttpHeaders, EachFamilyCanBeTurnedOff) {
  auto rule = part("r", false, 5, 0, 1s, 5s);
  rule.decision.warning = true;
  const HttpOptions none{
      .legacy = LegacyHeaders::off, .ietf = IetfHeaders::off, .retry_after = false, .warning = false};
  EXPECT_EQ(headers({rule}, none), Headers{});
  EXPECT_EQ(headers({rule}, {.legacy = LegacyHeaders::off, .ietf = IetfHeaders::off}),
            (Headers{{"Retry-After", "1"}, {"X-RateLimit-Warning", "r"}}));
}

TEST(HttpHeaders, ShadowAndUnlimitedRulesAreNotShown) {
  auto shadow = part("shadow", false, 1, 0, 1s, 1s);
  shadow.shadow = true;
  const auto unlimited = part("free", true, engine::kUnlimited, engine::kUnlimited, 0ns, 0ns);
  const Headers shown = headers({shadow, unlimited, part("r", true, 5, 4, 0ns, 1s)});
  EXPECT_EQ(shown.at("RateLimit-Policy"), R"("r";q=5;w=60)");
  EXPECT_EQ(headers({shadow, unlimited}), Headers{});
}

TEST(HttpHeaders, IntegersFitStructuredFields) {
  const Headers huge = headers({part("r", true, 9'007'199'254'740'991, 9'007'199'254'740'991, 0ns, 1s)});
  EXPECT_EQ(huge.at("RateLimit"), R"("r";r=999999999999999;t=1)");
}

TEST(HttpHeaders, CivilWindowsHaveNoLength) {
  EXPECT_EQ(headers({part("r", true, 5, 4, 0ns, 1s, 0ns)}).at("RateLimit-Policy"), R"("r";q=5)");
}

struct AlgorithmCase {
  std::string algorithm;
  std::string limit;
  std::string reset;   ///< seconds until full after one of ten
  std::string window;  ///< ";w=…" of the policy
  std::string retry;   ///< seconds to wait after ten of ten
};

struct DialectCase {
  IetfHeaders dialect;
  std::string (*state)(const std::string& remaining, const std::string& window);
  std::string (*policy)(const std::string& window);
};

/// What the headers of a fresh limit of ten say, in one dialect.
class OneOfTen {
 public:
  OneOfTen(const AlgorithmCase& c, IetfHeaders dialect) {
    options_.ietf = dialect;
    auto rule = test::rule("r", {"user"}, c.limit);
    rule.algorithm = c.algorithm;
    engine_.set_policy(test::policy({rule}));
  }
  Headers ask(std::int64_t cost) {
    HeaderList list;
    append_rate_limit_headers(
        *engine_.run(engine::Operation::check, test::descriptors("user=1"), cost, inbox_, 0), options_,
        loop_.clock().wall_now(), list);
    Headers out;
    for (const auto& [name, value] : list) out[std::string(name)] = value;
    return out;
  }

 private:
  HttpOptions options_;
  test::VirtualLoop loop_;
  test::SeededRandom random_;
  store::MemoryStore store_{loop_.clock(), random_, {}};
  engine::Engine engine_{loop_, store_, {}, test::policy({})};
  test::Inbox inbox_;
};

TEST(HttpHeaders, ForEveryAlgorithmAndDialect) {
  // The manual clock stands at 2027-01-15 08:00:00 UTC, the start of a minute and of an hour.
  const std::vector<AlgorithmCase> algorithms{
      {"token_bucket", "10/minute", "6", ";w=60", "6"},
      {"fixed_window", "10/minute", "60", ";w=60", "60"},
      {"fixed_window", "10/day", "57600", "", "57600"},
      {"sliding_window_log", "10/minute", "60", ";w=60", "60"},
      {"sliding_window_counter", "10/minute", "120", ";w=60", "66"},
  };
  const auto named = [](const std::string& window) { return R"("r";q=10)" + window; };
  const auto plain = [](const std::string& window) { return "10" + window; };
  using Text = const std::string&;
  const std::vector<DialectCase> dialects{
      {IetfHeaders::draft6, nullptr, plain},
      {IetfHeaders::draft7, nullptr, plain},
      {IetfHeaders::draft8, [](Text r, Text t) { return R"("r";r=)" + r + ";t=" + t; }, named},
      {IetfHeaders::draft12, [](Text r, Text t) { return R"("r";a=)" + r + ";w=" + t; }, named},
      {IetfHeaders::both, [](Text r, Text t) { return R"("r";r=)" + r + ";t=" + t + ";a=" + r + ";w=" + t; },
       named},
  };
  for (const AlgorithmCase& c : algorithms) {
    for (const DialectCase& d : dialects) {
      OneOfTen limit(c, d.dialect);
      const Headers first = limit.ask(1);
      EXPECT_EQ(first.at("X-RateLimit-Limit"), "10") << c.algorithm;
      EXPECT_EQ(first.at("X-RateLimit-Remaining"), "9") << c.algorithm;
      EXPECT_EQ(first.at("X-RateLimit-Reset"), c.reset) << c.algorithm;
      EXPECT_EQ(first.at("RateLimit-Policy"), d.policy(c.window)) << c.algorithm;
      static_cast<void>(limit.ask(9));
      const Headers denied = limit.ask(1);
      EXPECT_EQ(denied.at("Retry-After"), c.retry) << c.algorithm;
      if (d.state != nullptr) {
        EXPECT_EQ(first.at("RateLimit"), d.state("9", c.reset)) << c.algorithm;
        EXPECT_EQ(denied.at("RateLimit"), d.state("0", c.retry)) << c.algorithm;
      } else if (d.dialect == IetfHeaders::draft7) {
        EXPECT_EQ(first.at("RateLimit"), "limit=10, remaining=9, reset=" + c.reset) << c.algorithm;
      } else {
        EXPECT_EQ(first.at("RateLimit-Limit"), "10") << c.algorithm;
        EXPECT_EQ(first.at("RateLimit-Remaining"), "9") << c.algorithm;
        EXPECT_EQ(first.at("RateLimit-Reset"), c.reset) << c.algorithm;
      }
    }
  }
}

}  // namespace
}  // namespace sluice::server
