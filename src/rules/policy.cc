#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "limiter/limit.h"
#include "rules/compiled_policy.h"
#include "rules/condition_set.h"
#include "rules/descriptor.h"
#include "rules/explain.h"
#include "rules/key.h"
#include "rules/limits.h"
#include "rules/policy.h"
#include "rules/request.h"

namespace sluice::rules {
namespace {

/// Empties `out`, but keeps its keys' memory. Only of limited matches, as only those take it again: so there
/// are never more spare keys than there were limited matches at once.
void recycle(MatchResult& out) {
  for (Match& match : out.matches) {
    if (match.limit != nullptr) out.spare_keys.push_back(std::move(match.key));
  }
  out.matches.clear();
  out.bypassed = false;
}

std::string take_spare_key(MatchResult& out) {
  if (out.spare_keys.empty()) return {};
  std::string key = std::move(out.spare_keys.back());
  out.spare_keys.pop_back();
  key.clear();
  return key;
}

Match match_of(const CompiledRule& rule, const Request& request, MatchResult& memory) {
  const auto chosen = rule.override_for(request);
  const RuleLimit& limit = rule.limit_with(chosen);
  Match match;
  match.rule = &rule.rule;
  if (chosen) match.override_index = static_cast<int>(*chosen);
  if (!limit.limit) return match;
  match.limit = &*limit.limit;
  match.key = take_spare_key(memory);
  encode_key(rule.key, request, match.key);
  return match;
}

}  // namespace

std::optional<std::size_t> CompiledRule::override_for(const Request& request) const {
  return overrides.first_match(request);
}

const RuleLimit& CompiledRule::limit_with(std::optional<std::size_t> override_index) const {
  return override_index ? override_limits[*override_index] : limit;
}

CompiledPolicy::CompiledPolicy(Parts parts) : parts_(std::move(parts)) {
  SLUICE_ASSERT(parts_.conditions.size() == parts_.rules.size());
  for (std::size_t i = 0; i < parts_.rules.size(); ++i) parts_.rules[i].rule.index = i;
}

std::optional<std::string> CompiledPolicy::key_text(const Rule& rule, std::string_view key) const {
  return describe_encoded_key(parts_.rules[rule.index].key, key, parts_.secrets);
}

void CompiledPolicy::match(Descriptors descriptors, MatchResult& out) const {
  recycle(out);
  const Request request(descriptors, parts_.address_descriptors);
  if (parts_.bypasses.first_match(request)) {
    out.bypassed = true;
    return;
  }
  parts_.conditions.for_each_match(request, [&](std::size_t index) {
    out.matches.push_back(match_of(parts_.rules[index], request, out));
  });
  // Rules lie in memory in the order of the configuration.
  std::ranges::sort(out.matches, std::less{}, &Match::rule);
}

std::vector<Explanation> CompiledPolicy::explain(Descriptors descriptors) const {
  const Request request(descriptors, parts_.address_descriptors);
  std::vector<Explanation> out;
  out.reserve(parts_.rules.size());
  for (std::size_t i = 0; i < parts_.rules.size(); ++i) {
    out.push_back(explain_rule(parts_.rules[i], parts_.conditions[i], request, parts_.secrets));
  }
  return out;
}

std::optional<std::size_t> CompiledPolicy::bypass_of(Descriptors descriptors) const {
  return parts_.bypasses.first_match(Request(descriptors, parts_.address_descriptors));
}

void CompiledPolicy::for_each_limit(
    const std::function<void(const Rule& rule, const limiter::Limit& limit)>& visit) const {
  for (const CompiledRule& rule : parts_.rules) {
    if (rule.limit.limit) visit(rule.rule, *rule.limit.limit);
    for (const RuleLimit& other : rule.override_limits) {
      if (other.limit) visit(rule.rule, *other.limit);
    }
  }
}

}  // namespace sluice::rules
