#include "daemon/redis_info.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "daemon/info.h"
#include "engine/leased_store.h"
#include "lease/table.h"
#include "store/redis/connection.h"
#include "store/redis/redis_store.h"
#include "store/redis/topology.h"

namespace sluice::daemon {
namespace {

namespace redis = store::redis;

std::string shard_text(const redis::ShardStatus& shard) {
  std::string text = "name=" + shard.name;
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(",").append(name).append("=").append(value);
  };
  add("serving", shard.serving ? "1" : "0");
  add("master", shard.master ? shard.master->text() : "unknown");
  add("requests", std::to_string(shard.counters.requests));
  add("lost", std::to_string(shard.counters.lost));
  add("timeouts", std::to_string(shard.counters.connection.timeouts));
  add("connects", std::to_string(shard.counters.connection.connects));
  add("failed", std::to_string(shard.counters.connection.failures));
  return text;
}

/// Of all shards together.
redis::RedisStoreCounters totals(const std::vector<redis::ShardStatus>& shards) {
  redis::RedisStoreCounters all;
  for (const redis::ShardStatus& shard : shards) {
    const redis::RedisStoreCounters& one = shard.counters;
    all.requests += one.requests;
    all.refused += one.refused;
    all.lost += one.lost;
    all.stale += one.stale;
    all.asked_again += one.asked_again;
    all.repairing += one.repairing;
    all.rebooked_keys += one.rebooked_keys;
    all.rebooked_tokens += one.rebooked_tokens;
    all.unreplicated_joins += one.unreplicated_joins;
    all.ledger_keys += one.ledger_keys;
    all.ledger_dropped += one.ledger_dropped;
    all.connection.commands += one.connection.commands;
    all.connection.writes += one.connection.writes;
    all.connection.timeouts += one.connection.timeouts;
    all.connection.connects += one.connection.connects;
    all.connection.failures += one.connection.failures;
  }
  return all;
}

}  // namespace

void describe_store(std::string& out, const redis::Topology& topology) {
  const std::vector<redis::ShardStatus> shards = topology.shards();
  const std::size_t serving = topology.serving();
  const redis::RedisStoreCounters all = totals(shards);
  out += "\r\n# Store\r\n";
  info_line(out, "store_kind", "redis");
  info_line(out, "store_serving", !shards.empty() && serving == shards.size() ? 1U : 0U);
  info_line(out, "store_shards", shards.size());
  info_line(out, "store_shards_serving", serving);
  info_line(out, "store_requests", all.requests);
  info_line(out, "store_requests_refused", all.refused);
  info_line(out, "store_replies_lost", all.lost);
  info_line(out, "store_returns_stale", all.stale);
  info_line(out, "store_requests_repeated", all.asked_again);
  info_line(out, "store_leases_awaiting_repair", all.repairing);
  info_line(out, "store_rebooked_keys", all.rebooked_keys);
  info_line(out, "store_rebooked_tokens", all.rebooked_tokens);
  info_line(out, "store_joins_unreplicated", all.unreplicated_joins);
  info_line(out, "store_ledger_keys", all.ledger_keys);
  info_line(out, "store_ledger_keys_dropped", all.ledger_dropped);
  info_line(out, "store_commands", all.connection.commands);
  info_line(out, "store_writes", all.connection.writes);
  info_line(out, "store_timeouts", all.connection.timeouts);
  info_line(out, "store_connects", all.connection.connects);
  info_line(out, "store_connects_failed", all.connection.failures);
  for (std::size_t i = 0; i < shards.size(); ++i)
    info_line(out, "shard_" + std::to_string(i), shard_text(shards[i]));
}

void describe_leases(std::string& out, const engine::LeasedStore& leased) {
  const lease::TableCounters& leases = leased.counters();
  out += "\r\n# Leases\r\n";
  info_line(out, "fleet_members", leased.fleet_of({}).members.size());
  info_line(out, "lease_keys", leased.size());
  info_line(out, "lease_keys_shared_out", leased.shared_out());
  info_line(out, "lease_hits", leases.hits);
  info_line(out, "lease_denials", leases.denials);
  info_line(out, "lease_waits", leases.waits);
  info_line(out, "lease_requests", leases.asks);
  info_line(out, "lease_tokens_granted", leases.granted);
  info_line(out, "lease_tokens_ahead", leases.extra);
  info_line(out, "lease_tokens_returned", leases.returned);
  info_line(out, "lease_tokens_lapsed", leases.lapsed);
  info_line(out, "lease_keys_forgotten", leases.evicted);
  info_line(out, "lease_keys_refused", leases.refused);
}

}  // namespace sluice::daemon
