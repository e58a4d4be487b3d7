// Descriptors → limits and keys. A Policy is an immutable snapshot: a reload makes a new one and checks that
// are under way keep the one they began with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "limiter/limit.h"
#include "rules/descriptor.h"
#include "rules/spec.h"

namespace sluice::rules {

/// What answers for a store that does not: this daemon's share of the limit, or the same for everybody.
enum class FailurePolicy : std::uint8_t { share, allow, deny };

/// A compiled rule, as much of it as the engine needs.
struct Rule {
  std::string name;
  double warn_at = 0.9;
  bool shadow = false;
  FailurePolicy on_store_failure = FailurePolicy::share;
  LeaseSettings lease{};  ///< its own over those of the [lease] section
  std::size_t index = 0;  ///< its place in the configuration
};

/// One rule that takes part in a check.
struct Match {
  const Rule* rule = nullptr;             ///< lives as long as the Policy
  const limiter::Limit* limit = nullptr;  ///< after overrides; null: unlimited
  int override_index = -1;                ///< which override replaced the limit; −1: none
  std::string key;                        ///< the counter's name; empty when unlimited. See encode_key
};

struct MatchResult {
  bool bypassed = false;
  std::vector<Match> matches;           ///< in the order of the configuration
  std::vector<std::string> spare_keys;  ///< memory of earlier keys; for match() only
};

/// Why a rule does or does not take part; for `sluicectl config explain`.
struct Explanation {
  std::string rule;
  bool matches = false;
  std::string reason;       ///< "user=\"7\" matches \"*\"", "descriptor \"path\" is absent", …
  int override_index = -1;  ///< as Match::override_index
  std::string limit;        ///< as written, after overrides; empty when it does not match
  std::string key;          ///< the counter, for people: "per-user{user=\"7\"}"; as Match::key empty
  std::optional<LeaseSettings> lease{};  ///< those that count; nothing where `key` is empty
};

class Policy {
 public:
  virtual ~Policy() = default;

  /// Cost is proportional to the rules that could match by their names and exact values, not to all rules.
  /// `out` is cleared and refilled, so that its memory is reused. A name given twice: the first counts.
  virtual void match(Descriptors descriptors, MatchResult& out) const = 0;

  [[nodiscard]] virtual std::vector<Explanation> explain(Descriptors descriptors) const = 0;
  /// Index of the first [[bypass]] that matches.
  [[nodiscard]] virtual std::optional<std::size_t> bypass_of(Descriptors descriptors) const = 0;
  [[nodiscard]] virtual std::size_t rule_count() const = 0;
  /// Lives as long as the Policy; `index` < rule_count().
  [[nodiscard]] virtual const Rule& rule(std::size_t index) const = 0;
  /// The values in a key of `rule`, for people: `user=7 ip=2001:db8::/64`, `*` where all share one counter.
  /// Of what is known as a SHA-256 only, its beginning. Nothing: it is no key of that rule.
  [[nodiscard]] virtual std::optional<std::string> key_text(const Rule& rule, std::string_view key) const = 0;
  /// Every limit that a match could give, in the order of the configuration: each rule's own, then those of
  /// its overrides. Unlimited ones are left out. Rules and limits live as long as the Policy.
  virtual void for_each_limit(
      const std::function<void(const Rule& rule, const limiter::Limit& limit)>& visit) const = 0;
  /// The [lease] section, for limits without a rule (CL.THROTTLE).
  [[nodiscard]] virtual const LeaseSettings& default_lease() const = 0;
};

/// Compiles, or says which field of which rule is wrong and why.
[[nodiscard]] std::expected<std::shared_ptr<const Policy>, SpecError> compile(const PolicySpec& spec);

/// Names of what could follow `rule`'s name in a key, joined so that different values never give equal keys:
/// rule, then each value as length-prefixed bytes with a tag for its kind (text, IPv4, IPv6; of a value that
/// the rule matches by sha256 only the digest; layout in key.h). Above kMaxPlainKey bytes the values are
/// replaced by the SHA-256 of that encoding, so a key has at most kMaxKeyBytes. Values are binary; a key is
/// not for logs.
inline constexpr std::size_t kMaxPlainKey = 96;
inline constexpr std::size_t kMaxKeyBytes = 192;

}  // namespace sluice::rules
