// From the settings to the options of the Redis topologies.
#pragma once

#include "base/result.h"
#include "config/settings.h"
#include "daemon/redis_access.h"
#include "store/redis/topology.h"

namespace sluice::daemon {

/// `access` must outlive what is made with the options.
[[nodiscard]] Result<store::redis::TopologyOptions> topology_options(const config::Settings::Store& settings,
                                                                     const RedisAccess& access);

}  // namespace sluice::daemon
