// Rules as a person wrote them: plain text fields, before compilation. config/ fills these from TOML; tests
// fill them by hand.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace sluice::rules {

/// Patterns for one descriptor; any of them suffices.
/// Pattern: exact text; a glob with * and ? (and \ before a literal one); for address descriptors an address,
/// a CIDR block or "*"; "sha256:" and 64 hex digits for a secret value.
struct MatchSpec {
  std::string descriptor;
  std::vector<std::string> patterns;
};

/// How a daemon leases tokens from a store that it shares with others: the [lease] section, and what
/// compile() makes of it and a rule's own words. Tokens beyond what waiting checks need are the "extra" of a
/// lease.
struct LeaseSettings {
  Duration target{std::chrono::seconds{1}};  ///< how much of its recent demand to hold, above 0
  Duration ttl{std::chrono::seconds{2}};     ///< longest that unused tokens are held, above 0
  double slack = 0.25;       ///< share of its size that a token bucket may burst beyond it; 0 < x ≤ 1
  std::int64_t min = 1;      ///< least extra, 1…max
  std::int64_t max = 1000;   ///< most extra, at least 1
  std::int64_t initial = 0;  ///< tokens spent on a key never seen before until the store answers, 0…max
  bool exact = false;        ///< no extra: each check asks the store. Never set in [lease]
  bool operator==(const LeaseSettings&) const = default;
};

/// The same as a rule writes them: what is absent is as in [lease].
struct LeaseSpec {
  std::optional<Duration> target{};
  std::optional<Duration> ttl{};
  std::optional<double> slack{};
  std::optional<std::int64_t> min{};
  std::optional<std::int64_t> max{};
  std::optional<std::int64_t> initial{};
  bool operator==(const LeaseSpec&) const = default;
};

struct OverrideSpec {
  std::vector<MatchSpec> match;
  std::string limit;  ///< as RuleSpec::limit
  std::optional<std::int64_t> burst;
};

struct RuleSpec {
  std::string name;                   ///< [A-Za-z0-9_.:-]{1,64}, unique
  std::vector<MatchSpec> match;       ///< all must match; empty matches every check
  std::string limit;                  ///< a rate, "unlimited", or "0"
  std::optional<std::int64_t> burst;  ///< token bucket only
  std::string algorithm = "token_bucket";
  std::string timezone = "UTC";                 ///< for day, month and year of fixed windows
  std::optional<std::vector<std::string>> key;  ///< which matched descriptors separate counters; nothing: all
  double warn_at = 0.9;  ///< used share of the limit from which answers carry a warning; 0 < x ≤ 1
  bool shadow = false;   ///< count and report, never deny
  std::string on_store_failure = "share";  ///< share | allow | deny
  std::string mode = "leased";             ///< leased | exact; sliding_window_log is exact whatever this says
  LeaseSpec lease;                         ///< over [lease]
  std::vector<OverrideSpec> overrides;     ///< the first that matches replaces limit and burst
};

/// Checks that match are allowed without counting. All descriptors named must match.
struct BypassSpec {
  std::vector<MatchSpec> match;
};

struct PolicySpec {
  std::vector<RuleSpec> rules;
  std::vector<BypassSpec> bypass;
  std::vector<std::string> address_descriptors = {"ip"};  ///< values that are IP addresses
  int ipv6_prefix = 64;  ///< IPv6 addresses count by this many leading bits, 1…128
  LeaseSettings lease;   ///< what rules do not say themselves
};

/// Where in a PolicySpec a compilation failed, so that config/ can point at the line.
struct SpecError {
  enum class Section { rule, bypass, address, lease };
  Section section = Section::rule;
  std::size_t index = 0;  ///< of the rule or bypass
  std::optional<std::size_t> override_index;
  std::string field;    ///< "limit", "match.user", "lease.min", …; of the lease section "min", …
  std::string message;  ///< what is wrong and what would be right
};

}  // namespace sluice::rules
