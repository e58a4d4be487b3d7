// The commands that tell of the server, and WAIT.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/numbers.h"
#include "sim/redis/replies.h"
#include "sim/redis/slots.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

Value no_cluster() {
  return Value::error("ERR This instance has cluster support disabled");
}

std::string described(const ReplicationFacts& facts) {
  std::string text = "# Replication\r\n";
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(":").append(value).append("\r\n");
  };
  add("role", facts.is_replica ? "slave" : "master");
  if (facts.is_replica) {
    add("master_host", facts.master_host);
    add("master_port", std::to_string(facts.master_port));
    add("master_link_status", facts.link_up ? "up" : "down");
    add("slave_repl_offset", std::to_string(facts.offset));
    add("slave_priority", "100");
    add("slave_read_only", "1");
  }
  add("connected_slaves", std::to_string(facts.replicas.size()));
  for (std::size_t i = 0; i < facts.replicas.size(); ++i) {
    const ReplicationFacts::Replica& replica = facts.replicas[i];
    add("slave" + std::to_string(i), "ip=" + replica.host + ",port=" + std::to_string(replica.port) +
                                         ",state=online,offset=" + std::to_string(replica.offset) + ",lag=0");
  }
  add("master_failover_state", "no-failover");
  add("master_replid", facts.id);
  constexpr std::size_t kIdLength = 40;
  add("master_replid2", facts.previous_id.empty() ? std::string(kIdLength, '0') : facts.previous_id);
  add("master_repl_offset", std::to_string(facts.offset));
  add("second_repl_offset", facts.previous_id.empty() ? "-1" : std::to_string(facts.previous_end + 1));
  return text;
}

}  // namespace

Value Engine::info(Client& /*client*/, Words words) {
  // Of all the sections there is one.
  bool wanted = words.size() == 1;
  for (const std::string_view section : words.subspan(1)) {
    for (const std::string_view with : {"replication", "default", "all", "everything"})
      wanted = wanted || equals_ignoring_case(section, with);
  }
  return Value::bulk(wanted ? described(host_.replication()) : std::string());
}

Value Engine::role(Client& /*client*/, Words /*words*/) {
  const ReplicationFacts facts = host_.replication();
  const Value offset = Value::of(static_cast<std::int64_t>(facts.offset));
  if (facts.is_replica) {
    return Value::array({Value::bulk("slave"), Value::bulk(facts.master_host), Value::of(facts.master_port),
                         Value::bulk(facts.link_up ? "connected" : "connect"),
                         facts.link_up ? offset : Value::of(-1)});
  }
  std::vector<Value> replicas;
  for (const ReplicationFacts::Replica& replica : facts.replicas) {
    replicas.push_back(Value::array({Value::bulk(replica.host), Value::bulk(std::to_string(replica.port)),
                                     Value::bulk(std::to_string(replica.offset))}));
  }
  return Value::array({Value::bulk("master"), offset, Value::array(std::move(replicas))});
}

Value Engine::time(Client& /*client*/, Words /*words*/) {
  // Within a script it stands still.
  const std::int64_t now = script_client_ != nullptr ? script_began_us_ : host_.wall_us();
  constexpr std::int64_t kPerSecond = 1'000'000;
  return Value::array(
      {Value::bulk(std::to_string(now / kPerSecond)), Value::bulk(std::to_string(now % kPerSecond))});
}

Value Engine::wait(Client& client, Words words) {
  if (host_.is_replica()) {
    return Value::error(
        "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica "
        "is configured to be writable (which is not the default) writes to replicas are just local and are "
        "not propagated.");
  }
  const auto replicas = integer_of(words[1]);
  if (!replicas) return not_an_integer();
  const auto timeout = integer_of(words[2]);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  if (!timeout || *timeout > kMost) return Value::error("ERR timeout is not an integer or out of range");
  if (*timeout < 0) return Value::error("ERR timeout is negative");
  client.wait = Wait{.replicas = *replicas,
                     .offset = client.wrote,
                     .timeout = std::chrono::duration_cast<Duration>(std::chrono::milliseconds(*timeout))};
  return {};
}

Value Engine::cluster_slots(Client& /*client*/, Words /*words*/) {
  return slots_ ? slots_->ranges() : no_cluster();
}

Value Engine::cluster_myid(Client& /*client*/, Words /*words*/) {
  return slots_ ? Value::bulk(slots_->self.id) : no_cluster();
}

}  // namespace sluice::sim
