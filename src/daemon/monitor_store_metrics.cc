// The monitor's metrics of keys, leases, connections and the store.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "daemon/monitor.h"
#include "daemon/store_report.h"
#include "lease/table.h"
#include "observe/exposition.h"
#include "server/server.h"
#include "store/redis/connection.h"
#include "store/redis/errors.h"
#include "store/redis/redis_store.h"
#include "store/redis/topology.h"

namespace sluice::daemon {
namespace {

using observe::Exposition;
using Type = Exposition::Type;

constexpr double kNanos = 1e9;

/// A family with the label `shard`.
template <class Value>
void by_shard(Exposition& out, const std::vector<store::redis::ShardStatus>& shards, std::string_view name,
              Type type, std::string_view help, Value value) {
  out.family(name, type, help);
  for (const store::redis::ShardStatus& shard : shards)
    out.sample({{.name = "shard", .value = shard.name}}, static_cast<std::uint64_t>(value(shard)));
}

}  // namespace

void Monitor::add_leases(Exposition& out, const StoreReport& store) const {
  // Of memory nothing is leased: all of this is 0, so that queries over a fleet need no exceptions.
  const lease::TableCounters leases = store.leases.value_or(lease::TableCounters{});
  constexpr Type kCounter = Type::counter;
  out.singles(
      {{"sluice_lease_hits_total", kCounter, "Checks answered from tokens at hand.", leases.hits},
       {"sluice_lease_denials_total", kCounter, "Checks denied without asking the store.", leases.denials},
       {"sluice_lease_waits_total", kCounter, "Checks that had to wait for the store.", leases.waits},
       {"sluice_lease_requests_total", kCounter, "Requests for tokens to the store.", leases.asks},
       {"sluice_lease_tokens_granted_total", kCounter, "Tokens that the store gave.", leases.granted},
       {"sluice_lease_tokens_ahead_total", kCounter, "Of these, tokens beyond what checks waited for.",
        leases.extra},
       {"sluice_lease_tokens_returned_total", kCounter, "Tokens given back unused.", leases.returned},
       {"sluice_lease_tokens_lapsed_total", kCounter, "Tokens that ended with their window, unused.",
        leases.lapsed}});
  out.family("sluice_lease_size_tokens", Type::histogram, "Tokens in each grant of the store.");
  out.sample({}, leases.sizes.view(), 1);
  const Figures now = figures(store);
  out.family(
      "sluice_lease_hit_ratio", Type::gauge,
      "Share of the last minute's checks of leased limits that were answered from memory; absent where "
      "there were none.");
  if (const auto share = hit_share(now)) out.sample({}, *share);
  out.family("sluice_store_operations_per_check", Type::gauge,
             "Requests to the store for each check of the last minute; absent where there were none.");
  if (const auto share = operations_per_check(now); share && store.leases) out.sample({}, *share);
  out.singles(
      {{"sluice_fleet_members", Type::gauge,
        "Daemons that count together, this one among them, as far as is known.", store.fleet_members}});
}

void Monitor::add_connections(Exposition& out, const StoreReport& store) const {
  const server::ServerCounters& connections = instance_.server().counters();
  const auto max_keys = static_cast<std::uint64_t>(instance_.settings().store.max_keys);
  constexpr Type kCounter = Type::counter;
  out.singles(
      {{"sluice_keys", Type::gauge, "Keys that are held.", store.keys},
       {"sluice_keys_max", Type::gauge, "Most keys that may be held.", max_keys},
       {"sluice_keys_evicted_total", kCounter, "Idle keys forgotten to make room.", store.evicted},
       {"sluice_keys_refused_total", kCounter, "New keys for which there was no room.", store.refused},
       {"sluice_connections", Type::gauge, "Connected clients.", instance_.server().connections()},
       {"sluice_connections_max", Type::gauge, "Most clients that may be connected.", max_connections_},
       {"sluice_connections_accepted_total", kCounter, "Connections accepted.", connections.accepted},
       {"sluice_connections_refused_total", kCounter, "Connections refused, there being too many.",
        connections.refused},
       {"sluice_connections_timed_out_total", kCounter,
        "Connections closed since a request, or the taking of answers, took too long.",
        connections.timed_out}});
}

void Monitor::add_store(Exposition& out, const StoreReport& store) const {
  using store::redis::ShardStatus;
  const auto& shards = store.shards;
  constexpr Type kCounter = Type::counter;
  by_shard(out, shards, "sluice_store_up", Type::gauge, "Whether the shard serves: 1 or 0.",
           [](const ShardStatus& shard) { return shard.serving ? 1U : 0U; });
  by_shard(out, shards, "sluice_store_generation", Type::gauge,
           "Histories of the shard's data that were met: it grows when data may have been lost. 0: none yet.",
           [](const ShardStatus& shard) { return shard.counters.histories; });
  by_shard(out, shards, "sluice_store_requests_total", kCounter, "Requests that went out.",
           [](const ShardStatus& shard) { return shard.counters.requests; });
  by_shard(out, shards, "sluice_store_commands_total", kCounter, "Commands sent, upkeep among them.",
           [](const ShardStatus& shard) { return shard.counters.connection.commands; });
  out.family("sluice_store_request_duration_seconds", Type::histogram,
             "From the sending of a command to its answer.");
  for (const ShardStatus& shard : shards)
    out.sample({{.name = "shard", .value = shard.name}}, shard.counters.connection.latency.view(), kNanos);
  out.family("sluice_store_errors_total", kCounter, "Answers that were errors, by their kind.");
  for (const ShardStatus& shard : shards) {
    for (std::size_t i = 0; i < store::redis::kErrorKinds; ++i) {
      const auto kind = static_cast<store::redis::ErrorKind>(i);
      out.sample({{.name = "shard", .value = shard.name}, {.name = "kind", .value = name_of(kind)}},
                 shard.counters.errors[kind]);
    }
  }
  by_shard(out, shards, "sluice_store_timeouts_total", kCounter, "Commands not answered in time.",
           [](const ShardStatus& shard) { return shard.counters.connection.timeouts; });
  by_shard(out, shards, "sluice_store_lost_replies_total", kCounter,
           "Requests whose outcome stayed unknown; they count as spent.",
           [](const ShardStatus& shard) { return shard.counters.lost; });
  by_shard(out, shards, "sluice_store_connects_total", kCounter, "Connections that came about.",
           [](const ShardStatus& shard) { return shard.counters.connection.connects; });
  by_shard(out, shards, "sluice_store_connect_failures_total", kCounter, "Attempts to connect that failed.",
           [](const ShardStatus& shard) { return shard.counters.connection.failures; });
  by_shard(out, shards, "sluice_rebooked_tokens_total", kCounter,
           "Tokens debited again, since a new history of the shard had lost them.",
           [](const ShardStatus& shard) { return shard.counters.rebooked_tokens; });
}

}  // namespace sluice::daemon
