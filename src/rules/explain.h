// Why a rule does or does not take part, in words.
#pragma once

#include <span>
#include <string>

#include "rules/compiled_policy.h"
#include "rules/condition.h"
#include "rules/policy.h"
#include "rules/request.h"

namespace sluice::rules {

/// Of descriptors in `secrets` neither the value nor the patterns are shown.
[[nodiscard]] Explanation explain_rule(const CompiledRule& rule, const Condition& condition,
                                       const Request& request, std::span<const std::string> secrets);

}  // namespace sluice::rules
