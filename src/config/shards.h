// What [store.redis] shards means in each topology. Internal to config/.
#pragma once

#include "config/document.h"
#include "config/settings.h"

namespace sluice::config {

/// Adds what is wrong with the number of shards and with each of them; `store` has a valid topology.
void check_shards(const Table& document, const Settings::Store& store, Faults& faults);

}  // namespace sluice::config
