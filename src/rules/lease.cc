#include "rules/lease.h"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "rules/fault.h"
#include "rules/spec.h"

namespace sluice::rules {
namespace {

constexpr std::string_view kLeased = "leased";
constexpr std::string_view kExact = "exact";

std::optional<Fault> fault_of_mode(const std::string& mode) {
  if (mode == kLeased || mode == kExact) return std::nullopt;
  constexpr std::array kWords{kLeased, kExact};
  return Fault{"mode", fmt::format(R"("{}" is neither "leased" nor "exact"{})", printable(mode),
                                   did_you_mean(mode, kWords))};
}

/// What is wrong with one value by itself. Files are checked more narrowly by config/.
std::optional<Fault> fault_of_ranges(const LeaseSettings& lease) {
  for (const auto& [name, duration] : {std::pair{"target", lease.target}, {"ttl", lease.ttl}}) {
    if (duration <= Duration::zero()) return Fault{name, "must be a time above 0"};
  }
  const bool is_share = lease.slack > 0 && lease.slack <= 1;  // false for NaN, too
  if (!is_share) return Fault{"slack", fmt::format("{} is not a share above 0 and at most 1", lease.slack)};
  for (const auto& [name, count] : {std::pair{"min", lease.min}, {"max", lease.max}}) {
    if (count < 1) return Fault{name, fmt::format("{} is too small; at least 1 token is leased", count)};
  }
  if (lease.initial < 0) return Fault{"initial", fmt::format("{} is negative", lease.initial)};
  return std::nullopt;
}

/// A number of tokens, and whether it was written where a fault would be reported.
struct Tokens {
  std::string_view name;
  std::int64_t count = 0;
  bool is_own = false;

  /// "max of 1000"
  [[nodiscard]] std::string text() const {
    return fmt::format("{} of {}{}", name, count, is_own ? "" : " that [lease] gives");
  }
};

/// Of the one that is written, when `low` is above `high`.
std::optional<Fault> fault_of_order(const Tokens& low, const Tokens& high) {
  if (low.count <= high.count) return std::nullopt;
  if (low.is_own) {
    return Fault{std::string(low.name), fmt::format("{} is above the {}", low.count, high.text())};
  }
  return Fault{std::string(high.name), fmt::format("{} is below the {}", high.count, low.text())};
}

std::optional<Fault> fault_of(const LeaseSettings& lease, const LeaseSpec& own) {
  if (auto wrong = fault_of_ranges(lease)) return wrong;
  const Tokens max{"max", lease.max, own.max.has_value()};
  if (auto wrong = fault_of_order({"min", lease.min, own.min.has_value()}, max)) return wrong;
  return fault_of_order({"initial", lease.initial, own.initial.has_value()}, max);
}

}  // namespace

std::optional<Fault> fault_of_lease(const LeaseSettings& lease) {
  return fault_of(lease, {lease.target, lease.ttl, lease.slack, lease.min, lease.max, lease.initial});
}

std::expected<LeaseSettings, Fault> lease_of(const RuleSpec& rule, limiter::Algorithm algorithm,
                                             const LeaseSettings& defaults) {
  if (auto wrong = fault_of_mode(rule.mode)) return std::unexpected(std::move(*wrong));
  const LeaseSpec& own = rule.lease;
  LeaseSettings lease;
  lease.target = own.target.value_or(defaults.target);
  lease.ttl = own.ttl.value_or(defaults.ttl);
  lease.slack = own.slack.value_or(defaults.slack);
  lease.min = own.min.value_or(defaults.min);
  lease.max = own.max.value_or(defaults.max);
  lease.initial = own.initial.value_or(defaults.initial);
  // The log holds when each token was spent, which of leased ones nobody knows beforehand.
  lease.exact = rule.mode == kExact || algorithm == limiter::Algorithm::sliding_window_log;
  auto wrong = fault_of(lease, own);
  if (!wrong) return lease;
  return fault("lease." + wrong->field, std::move(wrong->message));
}

}  // namespace sluice::rules
