// A lease table with a clock, and the store played by hand.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lease/table.h"
#include "lease/terms.h"
#include "limiter/limit.h"
#include "support/virtual_loop.h"

namespace sluice::lease {

using namespace std::chrono_literals;

/// 1000 per hour in a fixed window, unless a test says otherwise.
class TableTest : public testing::Test {
 protected:
  static TermsPtr window(std::int64_t count, const Settings& settings = {}) {
    return Terms::make(
        *limiter::Limit::make(
            {.algorithm = limiter::Algorithm::fixed_window, .count = count, .period = std::chrono::hours{1}}),
        settings);
  }

  Answer take(std::int64_t cost = 1, const std::string& key = "k") {
    return table_.take(key, terms_, cost, next_tag_++, now_, actions_);
  }
  /// take(), which must not be answered at once; the tag.
  std::uint64_t wait_for(std::int64_t cost = 1, const std::string& key = "k") {
    EXPECT_EQ(take(cost, key).status, Status::waiting);
    return next_tag_ - 1;
  }
  /// The end of a turn: the requests that are sent.
  std::vector<Ask> compose() {
    table_.compose(now_, actions_);
    return std::exchange(actions_.asks, {});
  }
  /// The one request that is sent.
  Ask one_ask() {
    const auto asks = compose();
    EXPECT_EQ(asks.size(), 1U);
    return asks.empty() ? Ask{} : asks.front();
  }
  void grant(const Ask& ask, Grant answer) {
    if (answer.generation == 0) answer.generation = 1;
    table_.granted(ask.id, answer, now_, actions_);
  }
  /// Lets `extra` tokens come into stock, by way of two checks of more than is at hand.
  void stock_up(std::int64_t extra, std::int64_t remaining, Grant answer = {}) {
    const std::int64_t cost = table_.held("k", now_) + 1;
    wait_for(cost);
    grant(one_ask(), {.granted_needs = cost, .remaining = 900});
    wait_for(cost);
    answer.granted_needs = cost;
    answer.granted_extra = extra;
    answer.remaining = remaining;
    grant(one_ask(), answer);
    actions_.resolved.clear();
  }
  /// What was answered since, by tag.
  std::map<std::uint64_t, Answer> answers() {
    std::map<std::uint64_t, Answer> result;
    for (const Resolved& resolved : std::exchange(actions_.resolved, {})) {
      EXPECT_TRUE(result.emplace(resolved.tag, resolved.answer).second) << "answered twice: " << resolved.tag;
    }
    return result;
  }
  /// Tokens given back since.
  std::int64_t returned() {
    std::int64_t sum = 0;
    for (const Return& tokens : std::exchange(actions_.returns, {})) sum += tokens.tokens;
    return sum;
  }
  void pass(Duration time, Duration step = 25ms) {
    for (const Instant end = now_ + time; now_ < end;) {
      now_ += std::min(step, end - now_);
      table_.tick(now_, actions_);
    }
  }

  test::SeededRandom random_;
  Instant now_{100h};
  TermsPtr terms_ = window(1000);
  Table table_{random_, 100};
  Actions actions_;
  std::uint64_t next_tag_ = 1;
};

}  // namespace sluice::lease
