// The store of a fleet: leases from Redis servers, in whichever topology.
#pragma once

#include <memory>

#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/redis_access.h"
#include "daemon/stores.h"
#include "observe/log.h"
#include "rules/policy.h"

namespace sluice::daemon {

/// As make_backing(), for kind redis.
[[nodiscard]] Result<std::unique_ptr<Backing>> make_redis_backing(
    Loop& loop, Random& random, observe::Log& log, const config::Settings::Store& settings,
    std::unique_ptr<RedisAccess> access, std::shared_ptr<const rules::Policy> policy);

}  // namespace sluice::daemon
