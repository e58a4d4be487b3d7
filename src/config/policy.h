// Compiles the rules of a document and gives their faults a place in it. Internal to config/.
#pragma once

#include <expected>
#include <memory>

#include "config/document.h"
#include "config/reader.h"
#include "rules/policy.h"

namespace sluice::config {

/// rules::compile stops at its first error; here each rule and bypass that was read without a fault and does
/// not compile gives one. The faults of `reading` itself are not repeated, but with any there is no policy.
[[nodiscard]] std::expected<std::shared_ptr<const rules::Policy>, Faults> compile_policy(
    const Reading& reading, const Table& document);

}  // namespace sluice::config
