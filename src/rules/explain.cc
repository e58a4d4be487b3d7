#include "rules/explain.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/address.h"
#include "base/text.h"
#include "rules/compiled_policy.h"
#include "rules/condition.h"
#include "rules/key.h"
#include "rules/limits.h"
#include "rules/pattern.h"
#include "rules/policy.h"
#include "rules/request.h"

namespace sluice::rules {
namespace {

using Secrets = std::span<const std::string>;

std::string quoted(std::string_view bytes) {
  return fmt::format("\"{}\"", printable(bytes));
}

/// `"a", "b" and 7 more`
std::string list_of(std::span<const std::string> patterns) {
  constexpr std::size_t kShown = 8;
  std::string out;
  for (const std::string& pattern : patterns.first(std::min(patterns.size(), kShown))) {
    if (!out.empty()) out += ", ";
    out += quoted(pattern);
  }
  if (patterns.size() > kShown) out += fmt::format(" and {} more", patterns.size() - kShown);
  return out;
}

std::string why_hit(const Value& value, const DescriptorMatcher::Hit& hit) {
  if (hit.pattern == nullptr) {
    const Address* address = value.address();
    return address != nullptr ? "is " + address->text() : "matches " + quoted(value.text());
  }
  const bool is_block = std::holds_alternative<Cidr>(hit.pattern->test);
  return is_block ? "is in " + hit.pattern->written : "matches " + quoted(hit.pattern->written);
}

std::string why_missed(const Value& value, const DescriptorMatcher& part) {
  if (value.kind() == ValueKind::address && value.address() == nullptr) return "is not an address";
  const auto patterns = part.written();
  return (patterns.size() == 1 ? "does not match " : "matches none of ") + list_of(patterns);
}

struct Reason {
  bool holds = false;
  std::string text;
};

Reason reason_of(const DescriptorMatcher& part, const Request& request, Secrets secrets) {
  const std::string name = printable(part.descriptor());
  const Value* value = request.find(part.descriptor());
  if (value == nullptr) return {false, fmt::format("descriptor \"{}\" is absent", name)};
  const auto hit = part.find(*value);
  if (std::ranges::find(secrets, part.descriptor()) != secrets.end()) {
    return {hit.has_value(), fmt::format("{}=<hidden> {}", name, hit ? "matches" : "does not match")};
  }
  const std::string why = hit ? why_hit(*value, *hit) : why_missed(*value, part);
  return {hit.has_value(), fmt::format("{}={} {}", name, quoted(value->text()), why)};
}

/// Every descriptor's reason when it holds, else that of the first that does not.
Reason reason_of(const Condition& condition, const Request& request, Secrets secrets) {
  Reason all{true, {}};
  for (const DescriptorMatcher& part : condition.parts()) {
    Reason reason = reason_of(part, request, secrets);
    if (!reason.holds) return reason;
    if (!all.text.empty()) all.text += ", ";
    all.text += reason.text;
  }
  if (all.text.empty()) all.text = "it names no descriptor, so it matches every check";
  return all;
}

}  // namespace

Explanation explain_rule(const CompiledRule& rule, const Condition& condition, const Request& request,
                         Secrets secrets) {
  Explanation out;
  out.rule = rule.rule.name;
  Reason reason = reason_of(condition, request, secrets);
  out.matches = reason.holds;
  out.reason = std::move(reason.text);
  if (!out.matches) return out;

  const auto chosen = rule.override_for(request);
  if (chosen) {
    out.override_index = static_cast<int>(*chosen);
    out.reason += fmt::format("; override {} applies: {}", *chosen + 1,
                              reason_of(rule.overrides[*chosen], request, secrets).text);
  }
  const RuleLimit& limit = rule.limit_with(chosen);
  out.limit = limit.text;
  if (!limit.limit) return out;
  out.key = describe_key(rule.key, request, secrets);
  out.lease = rule.rule.lease;
  return out;
}

}  // namespace sluice::rules
