// From the settings to the options of the Redis topologies.
#pragma once

#include <memory>

#include "base/result.h"
#include "config/settings.h"
#include "daemon/secret.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "store/redis/topology.h"

namespace sluice::daemon {

/// The passwords that the options' credentials lead to; null where there is none.
struct RedisSecrets {
  std::unique_ptr<Secret> data;
  std::unique_ptr<Secret> sentinels;
};

/// Reads the files. The error says which setting is wrong, and in what.
[[nodiscard]] Result<RedisSecrets> open_secrets(net::UvLoop& loop, observe::Log& log,
                                                const config::Settings::Store::Redis& settings);

/// `secrets` must outlive what is made with the options.
[[nodiscard]] Result<store::redis::TopologyOptions> topology_options(const config::Settings::Store& settings,
                                                                     const RedisSecrets& secrets);

}  // namespace sluice::daemon
