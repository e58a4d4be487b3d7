#include "ctl/answer.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "rules/policy.h"
#include "rules/spec.h"
#include "wire/resp/reply_parser.h"

namespace sluice::ctl {
namespace {

namespace json = boost::json;

/// "850 ms", "11.8 s", "12.5 min", "3.2 h", "40.1 days".
std::string time_for_people(std::int64_t ms) {
  const auto value = static_cast<double>(ms);
  if (ms < 1000) return fmt::format("{} ms", ms);
  if (ms < 120'000) return fmt::format("{:.4g} s", value / 1000);
  if (ms < 7'200'000) return fmt::format("{:.3g} min", value / 60'000);
  if (ms < 172'800'000) return fmt::format("{:.3g} h", value / 3'600'000);
  return fmt::format("{:.4g} days", value / 86'400'000);
}

std::int64_t integer_of(const wire::resp::Value& map, std::string_view name) {
  const wire::resp::Value* value = map.find(name);
  return value != nullptr ? value->integer : 0;
}

std::string lease_for_people(const rules::LeaseSettings& lease) {
  if (lease.exact) return "exact";
  return fmt::format("leased, target {}, ttl {}, slack {}, min {}, max {}, initial {}",
                     format_duration(lease.target), format_duration(lease.ttl), lease.slack, lease.min,
                     lease.max, lease.initial);
}

/// With the names and words of the configuration; null when nothing is leased.
json::value lease_for_machines(const rules::LeaseSettings& lease) {
  if (lease.exact) return nullptr;
  return json::object{{"target", format_duration(lease.target)},
                      {"ttl", format_duration(lease.ttl)},
                      {"slack", lease.slack},
                      {"min", lease.min},
                      {"max", lease.max},
                      {"initial", lease.initial}};
}

std::string_view mode_of(const rules::Explanation& rule) {
  if (!rule.lease) return "";
  return rule.lease->exact ? "exact" : "leased";
}

}  // namespace

Result<Answer> read_answer(const wire::resp::Value& value) {
  if (value.kind != wire::resp::Value::Kind::map || value.find("allowed") == nullptr) {
    return failure("not an answer of sluiced to this command");
  }
  Answer answer;
  answer.allowed = integer_of(value, "allowed") != 0;
  answer.limit = integer_of(value, "limit");
  answer.remaining = integer_of(value, "remaining");
  answer.retry_after_ms = integer_of(value, "retry_after_ms");
  answer.reset_after_ms = integer_of(value, "reset_after_ms");
  answer.warning = integer_of(value, "warning") != 0;
  answer.degraded = integer_of(value, "degraded") != 0;
  if (const auto* rule = value.find("rule"); rule != nullptr) answer.rule = rule->text;
  return answer;
}

std::string for_people(const Answer& answer) {
  if (answer.limit < 0) return answer.allowed ? "allowed: no limit applies" : "denied";
  std::string out = fmt::format("{} by {}: {} of {} left", answer.allowed ? "allowed" : "denied", answer.rule,
                                answer.remaining, answer.limit);
  if (!answer.allowed && answer.retry_after_ms < 0) out += ", waiting does not help";
  if (!answer.allowed && answer.retry_after_ms >= 0) {
    out += ", retry in " + time_for_people(answer.retry_after_ms);
  }
  if (answer.reset_after_ms > 0) out += ", full in " + time_for_people(answer.reset_after_ms);
  if (answer.allowed && answer.warning) out += " (warning: near the limit)";
  if (answer.degraded) out += " (by the failure policy: the store did not answer)";
  return out;
}

std::string for_machines(const Answer& answer) {
  return json::serialize(json::object{{"allowed", answer.allowed},
                                      {"limit", answer.limit},
                                      {"remaining", answer.remaining},
                                      {"retry_after_ms", answer.retry_after_ms},
                                      {"reset_after_ms", answer.reset_after_ms},
                                      {"rule", answer.rule},
                                      {"warning", answer.warning},
                                      {"degraded", answer.degraded}});
}

std::string for_people(const std::vector<rules::Explanation>& rules, bool bypassed) {
  if (bypassed) return "a [[bypass]] matches: allowed, nothing is counted\n";
  std::string out;
  for (const rules::Explanation& rule : rules) {
    out += fmt::format("{} {}: {}\n", rule.matches ? "+" : "-", rule.rule, rule.reason);
    if (rule.matches) out += fmt::format("    limit {}, counter {}\n", rule.limit, rule.key);
    if (rule.lease) out += fmt::format("    {}\n", lease_for_people(*rule.lease));
  }
  return out.empty() ? "no rules: everything is allowed\n" : out;
}

std::string for_machines(const std::vector<rules::Explanation>& rules, bool bypassed) {
  json::array list;
  for (const rules::Explanation& rule : rules) {
    list.push_back(json::object{{"rule", rule.rule},
                                {"matches", rule.matches},
                                {"reason", printable(rule.reason, 4096)},
                                {"limit", rule.limit},
                                {"key", rule.key},
                                {"mode", mode_of(rule)},
                                {"lease", rule.lease ? lease_for_machines(*rule.lease) : nullptr}});
  }
  return json::serialize(json::object{{"bypassed", bypassed}, {"rules", std::move(list)}}) + "\n";
}

}  // namespace sluice::ctl
