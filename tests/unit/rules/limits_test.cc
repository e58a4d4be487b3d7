// Aim: the words of a limit become the limit that they say, or a fault of the right field.
// Method: tables of words for each algorithm.
#include "rules/limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "limiter/calendar.h"
#include "limiter/limit.h"

namespace sluice::rules {
namespace {

using limiter::Algorithm;
using limiter::CalendarUnit;

struct Outcome {
  std::string field;  ///< empty: no fault
  std::string message;
  std::optional<limiter::Limit> limit;
};

Outcome outcome(Algorithm algorithm, std::string_view limit, std::optional<std::int64_t> burst = std::nullopt,
                std::string_view timezone = "UTC") {
  LimitCompiler compiler;
  auto result = compiler.compile({algorithm, limit, burst, timezone});
  if (!result) return {result.error().field, result.error().message, std::nullopt};
  EXPECT_EQ(result->text, limit);
  return {"", "", result->limit};
}

/// Of words that give one.
limiter::Limit limit_of(const Outcome& found) {
  if (!found.limit) ADD_FAILURE() << found.message;
  return found.limit ? *found.limit : limiter::Limit::make({}).value();
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Limits, TokenBucketWithAndWithoutBurst) {
  const limiter::Limit plain = limit_of(outcome(Algorithm::token_bucket, "100/minute"));
  EXPECT_EQ(plain.capacity(), 100);
  EXPECT_EQ(plain.period(), std::chrono::minutes(1));
  const limiter::Limit burst = limit_of(outcome(Algorithm::token_bucket, "100/minute", 120));
  EXPECT_EQ(burst.capacity(), 120);
  EXPECT_EQ(burst.count(), 100);
}

TEST(Limits, ZeroDeniesAllWhateverTheBurst) {
  for (const auto algorithm : {Algorithm::token_bucket, Algorithm::fixed_window,
                               Algorithm::sliding_window_log, Algorithm::sliding_window_counter}) {
    const Outcome found = outcome(algorithm, "0");
    EXPECT_EQ(limit_of(found).capacity(), 0);
    EXPECT_EQ(limit_of(found).algorithm(), algorithm);
  }
  EXPECT_EQ(limit_of(outcome(Algorithm::token_bucket, "0", 50)).capacity(), 0);
  EXPECT_EQ(limit_of(outcome(Algorithm::token_bucket, "0/minute", 50)).capacity(), 0);
}

TEST(Limits, UnlimitedIsNoLimit) {
  const Outcome found = outcome(Algorithm::token_bucket, "unlimited");
  EXPECT_EQ(found.field, "");
  EXPECT_FALSE(found.limit);
}

TEST(Limits, WordsOfTheCalendarAreCivilInFixedWindowsOnly) {
  EXPECT_EQ(limit_of(outcome(Algorithm::fixed_window, "5/day")).calendar_unit(), CalendarUnit::day);
  EXPECT_EQ(limit_of(outcome(Algorithm::fixed_window, "5/month")).calendar_unit(), CalendarUnit::month);
  EXPECT_EQ(limit_of(outcome(Algorithm::fixed_window, "5/year")).calendar_unit(), CalendarUnit::year);
  EXPECT_EQ(limit_of(outcome(Algorithm::fixed_window, "5/24h")).calendar_unit(), CalendarUnit::none);
  for (const auto algorithm :
       {Algorithm::token_bucket, Algorithm::sliding_window_log, Algorithm::sliding_window_counter}) {
    const limiter::Limit day = limit_of(outcome(algorithm, "5/day"));
    EXPECT_EQ(day.calendar_unit(), CalendarUnit::none);
    EXPECT_EQ(day.period(), std::chrono::hours(24));
    EXPECT_EQ(outcome(algorithm, "5/month").field, "limit");
    EXPECT_EQ(outcome(algorithm, "5/year").field, "limit");
  }
}

TEST(Limits, AnUnknownTimeZoneIsAFaultAlsoWhereNoCalendarNeedsIt) {
  EXPECT_EQ(limit_of(outcome(Algorithm::fixed_window, "5/day", std::nullopt, "Europe/Berlin")).zone()->name(),
            "Europe/Berlin");
  const Outcome unknown = outcome(Algorithm::fixed_window, "5/day", std::nullopt, "Europe/Berln");
  EXPECT_EQ(unknown.field, "timezone");
  EXPECT_TRUE(holds(unknown.message, "Europe/Berln")) << unknown.message;
  EXPECT_EQ(outcome(Algorithm::fixed_window, "5/hour", std::nullopt, "Europe/Berln").field, "timezone");
  EXPECT_EQ(outcome(Algorithm::token_bucket, "5/day", std::nullopt, "Europe/Berln").field, "timezone");
}

TEST(Limits, EqualLimitsOfOneCompilationAreEqual) {
  LimitCompiler compiler;
  const LimitWords words{Algorithm::fixed_window, "5/day", std::nullopt, "Europe/Berlin"};
  EXPECT_EQ(compiler.compile(words)->limit, compiler.compile(words)->limit);
}

TEST(Limits, FaultsOfTheLimit) {
  for (const std::string_view text : {"", "100", "100/", "/minute", "-1/minute", "1.5/s", "100/fortnight",
                                      "Unlimited", "5/0s", "100 / minute", "9007199254740993/s"}) {
    const Outcome found = outcome(Algorithm::token_bucket, text);
    EXPECT_EQ(found.field, "limit") << text;
    EXPECT_FALSE(found.message.empty());
  }
  EXPECT_TRUE(holds(outcome(Algorithm::token_bucket, "unlimted").message, "did you mean \"unlimited\""));
  EXPECT_TRUE(holds(outcome(Algorithm::token_bucket, "100").message, "100/minute"));
}

TEST(Limits, FaultsOfTheBurst) {
  EXPECT_EQ(outcome(Algorithm::token_bucket, "5/s", 0).field, "burst");
  EXPECT_EQ(outcome(Algorithm::token_bucket, "5/s", -3).field, "burst");
  EXPECT_EQ(outcome(Algorithm::token_bucket, "5/s", limiter::kMaxInteger + 1).field, "burst");
  for (const auto algorithm :
       {Algorithm::fixed_window, Algorithm::sliding_window_log, Algorithm::sliding_window_counter}) {
    const Outcome found = outcome(algorithm, "5/s", 10);
    EXPECT_EQ(found.field, "burst");
    EXPECT_TRUE(holds(found.message, "token_bucket"));
  }
}

TEST(Limits, Algorithms) {
  EXPECT_EQ(parse_algorithm("sliding_window_log"), Algorithm::sliding_window_log);
  EXPECT_EQ(parse_algorithm("token_bucket"), Algorithm::token_bucket);
  const auto wrong = parse_algorithm("token_buket");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().field, "algorithm");
  EXPECT_TRUE(holds(wrong.error().message, "did you mean \"token_bucket\""));
}

}  // namespace
}  // namespace sluice::rules
