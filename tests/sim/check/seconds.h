// Moments of the simulated world as texts.
#pragma once

#include <string>

#include "sim/core/timeline.h"

namespace sluice::sim {

/// "12.003 s": whole milliseconds, rounded down.
[[nodiscard]] std::string seconds(SimTime t);

}  // namespace sluice::sim
