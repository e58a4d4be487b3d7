// The store of a fleet: leases from Redis servers, in whichever topology.
#pragma once

#include <memory>

#include "base/random.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/stores.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "rules/policy.h"

namespace sluice::daemon {

/// As make_backing(), for kind redis.
[[nodiscard]] Result<std::unique_ptr<Backing>> make_redis_backing(
    net::UvLoop& loop, Random& random, observe::Log& log, const config::Settings::Store& settings,
    std::shared_ptr<const rules::Policy> policy);

}  // namespace sluice::daemon
