// The lease settings of a rule: its own words over those of the [lease] section.
#pragma once

#include <expected>
#include <optional>

#include "limiter/limit.h"
#include "rules/fault.h"
#include "rules/spec.h"

namespace sluice::rules {

/// Faults are of the fields "target", "ttl", "slack", "min", "max" and "initial".
[[nodiscard]] std::optional<Fault> fault_of_lease(const LeaseSettings& lease);

/// Faults are of the fields "mode" and "lease.min", …: always of one that the rule gives itself. `defaults`
/// must be without a fault.
[[nodiscard]] std::expected<LeaseSettings, Fault> lease_of(const RuleSpec& rule, limiter::Algorithm algorithm,
                                                           const LeaseSettings& defaults);

}  // namespace sluice::rules
