#include "store/redis/script_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/hash.h"
#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/ticks.h"
#include "store/redis/ledger.h"
#include "store/redis/reply.h"
#include "store/store.h"

// What the arguments are and how an answer is laid out is said once, in scripts/common.lua.
namespace sluice::store::redis {
namespace {

using limiter::Algorithm;
using limiter::CalendarUnit;
using limiter::Limit;
using std::chrono::microseconds;

/// The numbers of an answer that are not durations.
constexpr std::int64_t kNone = -1;     ///< kNever, or no window
constexpr std::int64_t kEndless = -2;  ///< Duration::max()

/// Bytes of a zone's hash that stand for its name.
constexpr std::size_t kZoneMark = 8;

bool is_civil(const Limit& limit) {
  return limit.zone() != nullptr;
}

std::string_view letter_of(const Limit& limit) {
  switch (limit.algorithm()) {
    case Algorithm::token_bucket:
      return "b";
    case Algorithm::fixed_window:
      return is_civil(limit) ? "c" : "f";
    case Algorithm::sliding_window_log:
      return "l";
    case Algorithm::sliding_window_counter:
      return "w";
  }
  assertion_failed("a known algorithm", __FILE__, __LINE__);
}

char letter_of(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::day:
      return 'd';
    case CalendarUnit::month:
      return 'm';
    case CalendarUnit::year:
      return 'y';
    case CalendarUnit::none:
      break;
  }
  assertion_failed("a unit of the calendar", __FILE__, __LINE__);
}

/// Equal for equal limits of one letter, but for the capacity of a fixed window, which its state does not
/// depend on. Its length counts: it is kept with every key.
std::string identity_of(const Limit& limit) {
  const std::int64_t period = limit.period() / microseconds{1};
  switch (limit.algorithm()) {
    case Algorithm::token_bucket:
      if (limit.capacity() == limit.count() && limit.tick_us() == 1) {
        return fmt::format("{} {}", limit.count(), period);
      }
      return fmt::format("{} {} {} {}", limit.count(), period, limit.capacity(), limit.tick_us());
    case Algorithm::fixed_window:
      if (!is_civil(limit)) return fmt::format("{}", period);
      return letter_of(limit.calendar_unit()) + to_hex(sha256(limit.zone()->name())).substr(0, kZoneMark);
    case Algorithm::sliding_window_log:
      return fmt::format("{} {} {}", limit.count(), period, limit.log_granule());
    case Algorithm::sliding_window_counter:
      return fmt::format("{} {} {}", limit.count(), period, limit.tick_us());
  }
  assertion_failed("a known algorithm", __FILE__, __LINE__);
}

/// Zones change on whole seconds.
std::int64_t seconds_of(WallTime boundary) {
  return std::chrono::floor<std::chrono::seconds>(boundary).time_since_epoch().count();
}

/// The civil window that holds `now`, the one before and the one after, by their boundaries.
std::string boundaries_around(WallTime now, const Limit& limit) {
  const limiter::Calendar& zone = *limit.zone();
  const CalendarUnit unit = limit.calendar_unit();
  const WallTime counted{microseconds{limiter::floor_us(now)}};
  const limiter::Window present = zone.window_at(counted, unit);
  const limiter::Window previous = zone.window_at(present.start - Duration{1}, unit);
  const limiter::Window next = zone.window_at(present.end, unit);
  return fmt::format("{} {} {} {}", seconds_of(previous.start), seconds_of(present.start),
                     seconds_of(present.end), seconds_of(next.end));
}

std::string microseconds_of(WallTime t) {
  const auto us = std::chrono::floor<microseconds>(t).time_since_epoch().count();
  return std::to_string(std::clamp(us, std::int64_t{0}, limiter::kMaxInteger));
}

std::string number(std::int64_t n) {
  SLUICE_ASSERT(n >= 0 && n <= limiter::kMaxInteger);
  return std::to_string(n);
}

/// The arguments that all scripts that count begin with.
Arguments common(const CallContext& context, const Limit& limit, std::size_t more) {
  Arguments arguments;
  arguments.reserve(7 + more);
  arguments.push_back(std::to_string(context.lineage.generation));
  arguments.push_back(context.lineage.run);
  arguments.push_back(context.client_time ? microseconds_of(*context.client_time) : std::string());
  arguments.emplace_back(letter_of(limit));
  arguments.push_back(identity_of(limit));
  arguments.push_back(number(limit.capacity()));
  arguments.push_back(is_civil(limit) ? boundaries_around(context.expected_now, limit) : std::string());
  return arguments;
}

/// `n` integers, whatever they say.
bool holds_integers(const Reply& reply, std::size_t n) {
  return reply.kind == Reply::Kind::array && reply.items.size() == n &&
         std::ranges::all_of(reply.items, [](const Reply& item) {
           return item.kind == Reply::Kind::integer && item.integer >= kEndless &&
                  item.integer <= limiter::kMaxInteger;
         });
}

Duration duration_of(std::int64_t us) {
  if (us == kNone) return kNever;
  if (us == kEndless) return Duration::max();
  return microseconds{us};
}

}  // namespace

Arguments encode_lease(const CallContext& context, const LeaseRequest& request) {
  Arguments arguments = common(context, *request.limit, 1 + 2 * request.needs.size());
  arguments.push_back(number(std::min(request.extra, limiter::kMaxInteger)));
  for (const Need& need : request.needs) {
    arguments.push_back(number(need.cost));
    arguments.push_back(std::to_string(need.count));
  }
  return arguments;
}

Arguments encode_give_back(const CallContext& context, const GiveBack& request) {
  Arguments arguments = common(context, *request.limit, 2);
  arguments.push_back(number(std::min(request.tokens, limiter::kMaxInteger)));
  arguments.push_back(request.granted_at ? std::to_string(limiter::floor_us(*request.granted_at))
                                         : std::string());
  return arguments;
}

Arguments encode_peek(const CallContext& context, const Limit& limit, std::int64_t cost) {
  Arguments arguments = common(context, limit, 1);
  arguments.push_back(number(cost));
  return arguments;
}

Arguments encode_reset(const CallContext& context, const Limit& limit) {
  return common(context, limit, 0);
}

Arguments encode_rebook(const CallContext& context, const Limit& limit, std::span<const Lost> lost) {
  Arguments arguments = common(context, limit, 2 * lost.size());
  for (const Lost& one : lost) {
    arguments.push_back(number(one.tokens));
    arguments.push_back(one.moment ? std::to_string(limiter::floor_us(*one.moment)) : std::string());
  }
  return arguments;
}

Result<ScriptAnswer> decode_answer(const Reply& reply) {
  constexpr std::size_t kNumbers = 9;
  if (!holds_integers(reply, kNumbers)) return unexpected_answer("limiter's", reply);
  const auto at = [&](std::size_t i) { return reply.items[i].integer; };
  const std::int64_t status = at(0);
  const bool sound = status >= 0 && status <= std::to_underlying(Answered::repairing) && at(1) >= 0 &&
                     at(2) >= 0 && at(3) >= 0 && at(5) != kNone && at(7) >= 0 && at(8) >= 0;
  if (!sound) return unexpected_answer("limiter's", reply);

  ScriptAnswer answer;
  answer.answered = static_cast<Answered>(status);
  answer.now = WallTime{microseconds{at(7)}};
  if (answer.answered != Answered::done) return answer;
  Grant& grant = answer.grant;
  grant.granted_needs = at(1);
  grant.granted_extra = at(2);
  grant.remaining = at(3);
  grant.retry_after = duration_of(at(4));
  grant.reset_after = duration_of(at(5));
  if (at(6) != kNone) grant.ends_after = duration_of(at(6));
  grant.granted_at = answer.now;
  grant.seq = static_cast<std::uint64_t>(at(8));
  return answer;
}

std::unexpected<Error> unexpected_answer(std::string_view script, const Reply& reply) {
  if (reply.kind == Reply::Kind::error) {
    return failure(fmt::format("Redis refuses the {} script: {}", script, printable(reply.text, 200)));
  }
  return failure(
      fmt::format("Redis answers the {} script with something else than that script does; is "
                  "there a proxy between that changes it?",
                  script));
}

}  // namespace sluice::store::redis
