// Drawing settings, and writing them down as a configuration file.
#pragma once

#include "sim/core/draw.h"
#include "sim/world/plan.h"

namespace sluice::sim {

/// Of the table of settings those that shape what the promises are about: some are left at their defaults,
/// others are drawn around them, within the bounds that the table gives. Returns the slack of leases.
[[nodiscard]] double draw_settings(Draw& draw, Plan& plan);

}  // namespace sluice::sim
