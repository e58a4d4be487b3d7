#include "server/http_headers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "engine/engine.h"
#include "server/http_options.h"

namespace sluice::server {
namespace {

/// RFC 9651 §3.3.1: integers of structured fields have at most 15 digits.
constexpr std::int64_t kMaxFieldInteger = 999'999'999'999'999;

std::string number(std::int64_t value) {
  return std::to_string(std::clamp<std::int64_t>(value, 0, kMaxFieldInteger));
}

/// Rule names have no character that a structured string would have to escape.
std::string quoted(std::string_view name) {
  return std::string("\"").append(name).append("\"");
}

void join(std::string& list, const std::string& item) {
  if (!list.empty()) list += ", ";
  list += item;
}

/// Seconds within which the client can use no more than what remains; nothing when there is no such time.
std::optional<std::int64_t> effective_window(const engine::Decision& decision) {
  if (decision.retry_after < Duration::zero()) return std::nullopt;
  const bool waits = decision.retry_after > Duration::zero();
  return std::max<std::int64_t>(1, ceil_seconds(waits ? decision.retry_after : decision.reset_after));
}

/// "100;w=60" with `quota` before the number as the dialect has it.
std::string policy_item(const engine::RuleDecision& rule, bool named) {
  std::string item = named ? quoted(rule.decision.rule) + ";q=" : std::string();
  item += number(rule.quota);
  if (rule.window > Duration::zero()) {
    item += ";w=" + number(std::max<std::int64_t>(1, ceil_seconds(rule.window)));
  }
  return item;
}

std::string policy(const engine::CheckResult& result, bool named) {
  std::string list;
  for (const engine::RuleDecision& rule : result.rules) {
    if (!rule.shadow && rule.decision.limit != engine::kUnlimited) join(list, policy_item(rule, named));
  }
  return list;
}

std::string state(const engine::Decision& decision, IetfHeaders dialect) {
  std::string item = quoted(decision.rule);
  const auto window = effective_window(decision);
  const bool old_names = dialect != IetfHeaders::draft12;
  const bool new_names = dialect != IetfHeaders::draft8;
  if (old_names) item += ";r=" + number(decision.remaining);
  if (old_names && window) item += ";t=" + number(*window);
  if (new_names) item += ";a=" + number(decision.remaining);
  if (new_names && window) item += ";w=" + number(*window);
  return item;
}

void append_ietf(const engine::CheckResult& result, IetfHeaders dialect, HeaderList& headers) {
  const engine::Decision& decision = result.overall;
  const std::string reset = number(ceil_seconds(decision.reset_after));
  switch (dialect) {
    case IetfHeaders::off:
      return;
    case IetfHeaders::draft6:
      headers.emplace_back("RateLimit-Limit", number(decision.limit));
      headers.emplace_back("RateLimit-Remaining", number(decision.remaining));
      headers.emplace_back("RateLimit-Reset", reset);
      break;
    case IetfHeaders::draft7:
      headers.emplace_back("RateLimit", "limit=" + number(decision.limit) +
                                            ", remaining=" + number(decision.remaining) + ", reset=" + reset);
      break;
    case IetfHeaders::draft8:
    case IetfHeaders::draft12:
    case IetfHeaders::both:
      headers.emplace_back("RateLimit", state(decision, dialect));
      break;
  }
  const bool named = dialect != IetfHeaders::draft6 && dialect != IetfHeaders::draft7;
  headers.emplace_back("RateLimit-Policy", policy(result, named));
}

void append_legacy(const engine::Decision& decision, LegacyHeaders form, WallTime now, HeaderList& headers) {
  if (form == LegacyHeaders::off) return;
  headers.emplace_back("X-RateLimit-Limit", number(decision.limit));
  headers.emplace_back("X-RateLimit-Remaining", number(decision.remaining));
  Duration reset = decision.reset_after;
  if (form == LegacyHeaders::epoch) {
    const Duration since_epoch = now.time_since_epoch();
    reset = reset > Duration::max() - since_epoch ? Duration::max() : reset + since_epoch;
  }
  headers.emplace_back("X-RateLimit-Reset", number(ceil_seconds(reset)));
}

std::string warnings(const engine::CheckResult& result) {
  std::string list;
  for (const engine::RuleDecision& rule : result.rules) {
    if (!rule.shadow && rule.decision.warning) join(list, std::string(rule.decision.rule));
  }
  return list;
}

}  // namespace

void append_rate_limit_headers(const engine::CheckResult& result, const HttpOptions& options, WallTime now,
                               HeaderList& headers) {
  const engine::Decision& decision = result.overall;
  if (decision.limit == engine::kUnlimited) return;
  append_legacy(decision, options.legacy, now, headers);
  append_ietf(result, options.ietf, headers);
  if (options.retry_after && !decision.allowed && decision.retry_after >= Duration::zero()) {
    headers.emplace_back("Retry-After",
                         number(std::max<std::int64_t>(1, ceil_seconds(decision.retry_after))));
  }
  if (options.warning && decision.warning) headers.emplace_back("X-RateLimit-Warning", warnings(result));
}

}  // namespace sluice::server
