// PolicySpec → CompiledPolicy: checks everything, and stops at the first fault.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/text.h"
#include "limiter/limit.h"
#include "rules/compiled_policy.h"
#include "rules/condition.h"
#include "rules/condition_set.h"
#include "rules/fault.h"
#include "rules/key.h"
#include "rules/lease.h"
#include "rules/limits.h"
#include "rules/pattern.h"
#include "rules/policy.h"
#include "rules/spec.h"
#include "rules/text_hash.h"

namespace sluice::rules {
namespace {

using Section = SpecError::Section;

constexpr std::size_t kMaxNameBytes = 64;

bool is_name_byte(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("_.:-").contains(c);
}

std::expected<FailurePolicy, Fault> parse_failure_policy(std::string_view word) {
  if (word == "share") return FailurePolicy::share;
  if (word == "allow") return FailurePolicy::allow;
  if (word == "deny") return FailurePolicy::deny;
  constexpr std::array<std::string_view, 3> kWords{"share", "allow", "deny"};
  return fault("on_store_failure", fmt::format(R"("{}" is none of "share", "allow" and "deny"{})",
                                               printable(word), did_you_mean(word, kWords)));
}

std::optional<Fault> fault_of_address_settings(const PolicySpec& spec) {
  if (std::ranges::find(spec.address_descriptors, "") != spec.address_descriptors.end()) {
    return Fault{"descriptors", "a descriptor's name cannot be empty"};
  }
  if (spec.ipv6_prefix < 1 || spec.ipv6_prefix > Address::kIpv6Bits) {
    return Fault{"ipv6_prefix", fmt::format("{} is not a number of leading bits from 1 to 128; 64 is usual",
                                            spec.ipv6_prefix)};
  }
  return std::nullopt;
}

class PolicyCompiler {
 public:
  explicit PolicyCompiler(const PolicySpec& spec) : spec_(spec) {}
  [[nodiscard]] std::expected<std::shared_ptr<const Policy>, SpecError> run();

 private:
  [[nodiscard]] std::expected<CompiledRule, Fault> compile_rule(const RuleSpec& spec);
  [[nodiscard]] std::optional<Fault> fault_of_name(const std::string& name);
  [[nodiscard]] std::expected<KeyPlan, Fault> plan_key(const RuleSpec& spec,
                                                       const Condition& condition) const;
  [[nodiscard]] std::optional<Fault> add_overrides(const RuleSpec& spec, limiter::Algorithm algorithm,
                                                   CompiledRule& rule);
  [[nodiscard]] std::optional<Fault> add_bypasses();
  [[nodiscard]] std::expected<Condition, Fault> compile_condition(std::span<const MatchSpec> match);
  [[nodiscard]] std::unexpected<SpecError> error(Section section, Fault fault) const;

  const PolicySpec& spec_;
  CompiledPolicy::Parts parts_;
  std::vector<Condition> conditions_;
  LimitCompiler limits_;
  TextMap<std::size_t> names_;  ///< of the rules so far, with their index
  // Where the work is; a fault is there.
  std::size_t index_ = 0;
  std::optional<std::size_t> override_index_;
};

std::expected<std::shared_ptr<const Policy>, SpecError> PolicyCompiler::run() {
  if (auto wrong = fault_of_address_settings(spec_)) return error(Section::address, std::move(*wrong));
  parts_.address_descriptors = spec_.address_descriptors;
  if (auto wrong = fault_of_lease(spec_.lease)) return error(Section::lease, std::move(*wrong));
  parts_.lease = spec_.lease;
  for (index_ = 0; index_ < spec_.rules.size(); ++index_) {
    auto rule = compile_rule(spec_.rules[index_]);
    if (!rule) return error(Section::rule, std::move(rule.error()));
    parts_.rules.push_back(std::move(*rule));
  }
  parts_.conditions = ConditionSet(std::move(conditions_));
  if (auto wrong = add_bypasses()) return error(Section::bypass, std::move(*wrong));
  return std::make_shared<const CompiledPolicy>(std::move(parts_));
}

std::expected<CompiledRule, Fault> PolicyCompiler::compile_rule(const RuleSpec& spec) {
  CompiledRule out;
  if (auto wrong = fault_of_name(spec.name)) return std::unexpected(std::move(*wrong));
  auto condition = compile_condition(spec.match);
  if (!condition) return std::unexpected(std::move(condition.error()));
  const auto algorithm = parse_algorithm(spec.algorithm);
  if (!algorithm) return std::unexpected(algorithm.error());
  auto limit = limits_.compile({*algorithm, spec.limit, spec.burst, spec.timezone});
  if (!limit) return std::unexpected(std::move(limit.error()));
  auto key = plan_key(spec, *condition);
  if (!key) return std::unexpected(std::move(key.error()));
  const bool is_share = spec.warn_at > 0 && spec.warn_at <= 1;  // false for NaN, too
  if (!is_share) {
    return fault("warn_at",
                 fmt::format("{} is not a share of the limit: above 0 and at most 1", spec.warn_at));
  }
  const auto on_failure = parse_failure_policy(spec.on_store_failure);
  if (!on_failure) return std::unexpected(on_failure.error());
  const auto lease = lease_of(spec, *algorithm, spec_.lease);
  if (!lease) return std::unexpected(lease.error());
  if (auto wrong = add_overrides(spec, *algorithm, out)) return std::unexpected(std::move(*wrong));

  out.rule = {spec.name, spec.warn_at, spec.shadow, *on_failure, *lease};
  out.limit = std::move(*limit);
  out.key = std::move(*key);
  conditions_.push_back(std::move(*condition));
  return out;
}

std::optional<Fault> PolicyCompiler::fault_of_name(const std::string& name) {
  if (name.empty()) return Fault{"name", "a rule needs a name; it appears in answers and metrics"};
  if (name.size() > kMaxNameBytes) {
    return Fault{
        "name", fmt::format("a name has at most {} characters; this one has {}", kMaxNameBytes, name.size())};
  }
  const auto wrong = std::ranges::find_if_not(name, is_name_byte);
  if (wrong != name.end()) {
    return Fault{"name", fmt::format(R"("{}" holds "{}"; a name is made of letters, digits and _ . : -)",
                                     printable(name), printable({&*wrong, 1}))};
  }
  const auto [earlier, is_new] = names_.emplace(name, index_);
  if (is_new) return std::nullopt;
  return Fault{"name",
               fmt::format("\"{}\" is also the name of rule {}; names must differ, since counters are named "
                           "after them",
                           name, earlier->second + 1)};
}

std::expected<KeyPlan, Fault> PolicyCompiler::plan_key(const RuleSpec& spec,
                                                       const Condition& condition) const {
  const auto is_wanted = [&](const std::string& name) {
    return !spec.key || std::ranges::find(*spec.key, name) != spec.key->end();
  };
  KeyPlan plan{spec.name, {}, spec_.ipv6_prefix};
  std::vector<std::string_view> matched;
  for (const DescriptorMatcher& part : condition.parts()) {
    matched.push_back(part.descriptor());
    if (!is_wanted(part.descriptor())) continue;
    plan.parts.push_back(
        {part.descriptor(), part.is_secret() ? KeyPart::Form::digest : KeyPart::Form::plain});
  }
  if (!spec.key) return plan;
  for (auto name = spec.key->begin(); name != spec.key->end(); ++name) {
    if (condition.part(*name) == nullptr) {
      return fault("key", fmt::format("\"{}\" is not a descriptor that this rule's match names{}",
                                      printable(*name), did_you_mean(*name, matched)));
    }
    if (std::find(spec.key->begin(), name, *name) != name) {
      return fault("key", fmt::format("\"{}\" is named twice", printable(*name)));
    }
  }
  return plan;
}

std::optional<Fault> PolicyCompiler::add_overrides(const RuleSpec& spec, limiter::Algorithm algorithm,
                                                   CompiledRule& rule) {
  std::vector<Condition> conditions;
  for (std::size_t i = 0; i < spec.overrides.size(); ++i) {
    override_index_ = i;
    const OverrideSpec& given = spec.overrides[i];
    if (given.match.empty()) {
      return Fault{"match",
                   "an override needs a match; without one it would replace the rule's own limit always"};
    }
    auto condition = compile_condition(given.match);
    if (!condition) return std::move(condition.error());
    auto limit = limits_.compile({algorithm, given.limit, given.burst, spec.timezone});
    if (!limit) return std::move(limit.error());
    conditions.push_back(std::move(*condition));
    rule.override_limits.push_back(std::move(*limit));
  }
  override_index_.reset();
  rule.overrides = ConditionSet(std::move(conditions));
  return std::nullopt;
}

std::optional<Fault> PolicyCompiler::add_bypasses() {
  std::vector<Condition> conditions;
  for (index_ = 0; index_ < spec_.bypass.size(); ++index_) {
    const auto& match = spec_.bypass[index_].match;
    if (match.empty()) return Fault{"match", "a bypass needs a match; without one nothing would be limited"};
    auto condition = compile_condition(match);
    if (!condition) return std::move(condition.error());
    conditions.push_back(std::move(*condition));
  }
  parts_.bypasses = ConditionSet(std::move(conditions));
  return std::nullopt;
}

std::expected<Condition, Fault> PolicyCompiler::compile_condition(std::span<const MatchSpec> match) {
  auto condition = Condition::compile(match, spec_.address_descriptors);
  if (!condition) return condition;
  for (const DescriptorMatcher& part : condition->parts()) {
    if (part.is_secret()) parts_.secrets.push_back(part.descriptor());
  }
  return condition;
}

std::unexpected<SpecError> PolicyCompiler::error(Section section, Fault fault) const {
  const bool is_listed = section == Section::rule || section == Section::bypass;
  return std::unexpected(SpecError{section, is_listed ? index_ : 0, override_index_, std::move(fault.field),
                                   std::move(fault.message)});
}

}  // namespace

std::expected<std::shared_ptr<const Policy>, SpecError> compile(const PolicySpec& spec) {
  return PolicyCompiler(spec).run();
}

}  // namespace sluice::rules
