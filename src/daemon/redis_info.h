// What INFO says of a store in Redis and of the leases from it.
#pragma once

#include <string>

#include "engine/leased_store.h"
#include "store/redis/topology.h"

namespace sluice::daemon {

/// The section "# Store": the sums over all shards, then a line for each.
void describe_store(std::string& out, const store::redis::Topology& topology);

/// The section "# Leases".
void describe_leases(std::string& out, const engine::LeasedStore& leased);

}  // namespace sluice::daemon
