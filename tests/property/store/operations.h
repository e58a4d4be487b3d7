// Random operations on one key: what is asked of it, and what the reference answers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "limiter/ticks.h"
#include "property/limiter/walk.h"
#include "property/store/shard.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis::testing {

using limiter::Algorithm;
using limiter::CalendarUnit;
using limiter::Limit;
using limiter::testing::Dice;
using namespace std::chrono_literals;
using std::chrono::microseconds;

inline constexpr auto kZones = {
    "UTC",          "Europe/Berlin",       "America/New_York", "America/Sao_Paulo",
    "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"};

inline Limit random_civil(Dice& dice, std::int64_t count) {
  const auto unit = dice.pick({CalendarUnit::day, CalendarUnit::month, CalendarUnit::year});
  return limiter::testing::calendar_window(count, unit, dice.pick<const char*>(kZones));
}

inline Limit random_limit(Dice& dice, Algorithm algorithm) {
  const std::int64_t count = dice.one_in(20) ? 0 : limiter::testing::random_count(dice);
  if (algorithm == Algorithm::fixed_window && dice.one_in(2)) return random_civil(dice, count);
  const Duration period = limiter::testing::random_period(dice);
  if (algorithm == Algorithm::token_bucket && dice.one_in(2)) {
    return limiter::testing::bucket(count, period, limiter::testing::random_count(dice));
  }
  return limiter::testing::make(algorithm, count, period);
}

/// As a reload of the configuration may change it: anything, or only a number.
inline Limit changed_limit(Dice& dice, const Limit& limit) {
  if (dice.one_in(2)) return random_limit(dice, limiter::testing::kAlgorithms[dice.between(0, 3)]);
  std::int64_t count =
      dice.one_in(2) ? limiter::testing::random_count(dice)
                     : std::clamp<std::int64_t>(limit.count() + dice.between(-3, 3), 0, limiter::kMaxInteger);
  if (limit.zone() != nullptr) {
    const char* zone = dice.one_in(2) ? limit.zone()->name().data() : dice.pick<const char*>(kZones);
    return limiter::testing::calendar_window(count, limit.calendar_unit(), zone);
  }
  if (limit.algorithm() != Algorithm::token_bucket) {
    return limiter::testing::make(limit.algorithm(), count, limit.period());
  }
  const Duration period = dice.one_in(3) ? limiter::testing::random_period(dice) : limit.period();
  // Ten times as many in ten times as long is the same rate, and yet not the same limit.
  if (dice.one_in(4) && limit.count() <= limiter::kMaxInteger / 10 && limit.period() < 24h * 366) {
    return limiter::testing::bucket(limit.count() * 10, limit.period() * 10, limit.capacity());
  }
  return limiter::testing::bucket(count, period, dice.one_in(2) ? limit.capacity() : 0);
}

/// Later moments count as this one.
inline constexpr WallTime kLatest{microseconds(limiter::kLatestUs)};

/// Asked, and what is expected of it.
struct Asked {
  Script script{};
  Arguments arguments{};
  WallTime now{};
  bool outside_calendar = false;
  Grant expected{};
  bool debited = false;
  bool full = false;                        ///< afterwards: then there is no key
  bool changed = false;                     ///< then its expiry is new
  std::optional<std::int64_t> lives_for{};  ///< in milliseconds; nothing: for ever
};

/// One key's life.
class Sequence {
 public:
  Sequence(std::uint64_t seed, Algorithm first)
      : dice_(seed), limit_(random_limit(dice_, first)), now_(limiter::testing::random_start(dice_)) {
    if (dice_.one_in(8)) now_ = kLatest;
  }

  /// Steps the time, unless `server_now` gives it, and asks something.
  Asked next(const Lineage& lineage, std::optional<WallTime> server_now = std::nullopt) {
    if (dice_.one_in(12)) limit_ = changed_limit(dice_, limit_);
    now_ = server_now ? *server_now : stepped();
    CallContext context{.lineage = lineage, .expected_now = now_};
    if (!server_now) context.client_time = now_;
    if (limit_.zone() != nullptr && dice_.one_in(3)) context.expected_now = nearby(now_);

    Asked asked{.now = now_};
    asked.outside_calendar = limit_.zone() != nullptr && !within_three_windows(context.expected_now);
    const limiter::State before = reference_.state();
    ask(context, asked);
    asked.full = reference_.full();
    asked.changed = !asked.full && (asked.debited || reference_.state() != before);
    if (asked.changed) {
      const WallTime full = limiter::full_at(limit_, reference_.state(), now_);
      if (full != WallTime::max()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(full - now_).count();
        asked.lives_for = std::max<std::int64_t>(left, 1);
      }
    }
    return asked;
  }

  [[nodiscard]] const Limit& limit() const { return limit_; }
  [[nodiscard]] const limiter::State& state() const { return reference_.state(); }

 private:
  WallTime stepped() {
    limiter::Verdict last;
    last.retry_after = last_.retry_after;
    last.reset_after = last_.reset_after;
    WallTime to = limiter::testing::random_step(dice_, std::min(now_, kLatest), limit_, last);
    if (now_ >= kLatest || dice_.one_in(10)) {
      to = now_ + microseconds(dice_.magnitude(24ll * 366 * 3'600'000'000)) * dice_.pick({1, 1, -1});
    }
    return std::clamp<WallTime>(std::chrono::floor<microseconds>(to), WallTime{},
                                WallTime{microseconds(limiter::kMaxInteger)});
  }

  WallTime nearby(WallTime now) {
    const Duration off = limit_.period() * dice_.between(-30, 30) / 10;
    return std::max(WallTime{}, now + off);
  }

  [[nodiscard]] bool within_three_windows(WallTime expected) const {
    const auto window = [&](WallTime t) { return limit_.zone()->window_at(t, limit_.calendar_unit()); };
    const limiter::Window present = window(std::min(expected, kLatest));
    const WallTime counted = std::min(now_, kLatest);
    return counted >= window(present.start - Duration{1}).start && counted < window(present.end).end;
  }

  void ask(const CallContext& context, Asked& asked) {
    const std::int64_t choice = dice_.between(1, 20);
    if (choice == 1) {
      asked.script = Script::reset;
      asked.arguments = encode_reset(context, limit_);
      if (!asked.outside_calendar) asked.expected = reference_.reset(limit_, now_);
    } else if (choice <= 4) {
      asked.script = Script::peek;
      const std::int64_t cost = random_cost(last_.remaining);
      asked.arguments = encode_peek(context, limit_, cost);
      if (!asked.outside_calendar) asked.expected = reference_.peek(limit_, cost, now_);
    } else if (choice <= 8) {
      ask_give_back(context, asked);
    } else {
      ask_lease(context, asked);
    }
    if (!asked.outside_calendar) last_ = asked.expected;
  }

  void ask_give_back(const CallContext& context, Asked& asked) {
    asked.script = Script::give_back;
    std::int64_t tokens =
        dice_.one_in(4) ? dice_.magnitude(limiter::kMaxInteger) : dice_.magnitude(limit_.capacity() + 1);
    if (dice_.one_in(10)) tokens = 0;
    std::optional<WallTime> granted_at;
    if (!debits_.empty() && dice_.one_in(2)) {
      granted_at =
          debits_[static_cast<std::size_t>(dice_.between(0, static_cast<std::int64_t>(debits_.size()) - 1))];
    } else if (dice_.one_in(4)) {
      granted_at = std::max(WallTime{}, now_ - microseconds(dice_.magnitude(1'000'000'000'000)));
    }
    asked.arguments =
        encode_give_back(context, {.key = {}, .limit = &limit_, .tokens = tokens, .granted_at = granted_at});
    if (!asked.outside_calendar) asked.expected = reference_.give_back(limit_, tokens, granted_at, now_);
  }

  void ask_lease(const CallContext& context, Asked& asked) {
    asked.script = Script::lease;
    std::vector<Need> needs;
    std::int64_t left = last_.remaining;
    for (auto n = dice_.pick<std::int64_t>({0, 1, 1, 1, 1, 2, 3, 8}); n > 0; --n) {
      const std::int64_t cost = random_cost(left);
      const auto count = static_cast<std::uint32_t>(dice_.one_in(3) ? dice_.magnitude(4'294'967'295) : 1);
      needs.push_back({.cost = cost, .count = count});
      if (cost <= left) left -= cost;
    }
    const std::int64_t extra =
        dice_.one_in(3) ? dice_.magnitude(limiter::kMaxInteger) : dice_.between(0, 3) * dice_.between(0, 100);
    asked.arguments = encode_lease(context, {.key = {}, .limit = &limit_, .needs = needs, .extra = extra});
    if (asked.outside_calendar) return;
    asked.expected = reference_.lease(limit_, needs, extra, now_);
    asked.debited = asked.expected.granted_needs + asked.expected.granted_extra > 0;
    if (asked.debited) debits_.push_back(now_);
  }

  std::int64_t random_cost(std::int64_t remaining) {
    if (limit_.capacity() == 0) return dice_.between(0, 2);
    return std::min(limiter::testing::random_cost(dice_, limit_, remaining), limiter::kMaxInteger);
  }

  Dice dice_;
  Limit limit_;
  WallTime now_;
  Reference reference_;
  Grant last_{};
  std::vector<WallTime> debits_;
};

}  // namespace sluice::store::redis::testing
