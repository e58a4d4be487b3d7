// What the settings of [store] demand of each other. Internal to config/.
#pragma once

#include "config/document.h"
#include "config/settings.h"

namespace sluice::config {

/// Faults of what is written are at its place, those of what is missing at what makes it needed.
void check_store(const Table& document, const Settings::Store& store, Faults& faults);

}  // namespace sluice::config
