// Counts this program's allocations. Linking allocations.cc replaces operator new.
#pragma once

#include <cstddef>

namespace sluice::rules::testing {

/// Calls of operator new since the program began.
[[nodiscard]] std::size_t allocations();

}  // namespace sluice::rules::testing
