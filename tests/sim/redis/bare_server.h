// The command layer alone, for tests: no network, no replication, and a clock that is set by hand.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/value.h"

namespace sluice::sim::testing {

class BareServer final : public EngineHost {
 public:
  explicit BareServer(EngineOptions options = {}) : engine(*this, std::move(options)) {}

  [[nodiscard]] std::int64_t wall_us() const override { return now_us; }
  [[nodiscard]] ReplicationFacts replication() const override {
    return {.is_replica = replica, .id = id, .offset = stream.size()};
  }
  [[nodiscard]] bool is_replica() const override { return replica; }
  std::uint64_t propagate(Effects&& effects) override {
    stream.push_back(std::move(effects));
    return stream.size();
  }
  void on_script(const Client& /*client*/, std::string_view /*sha1*/, Words keys, Words /*arguments*/,
                 const Value& /*answer*/) override {
    script_keys.emplace_back(keys.empty() ? "" : keys.front());
  }

  Value ask(const std::vector<std::string>& words) {
    const std::vector<std::string_view> views(words.begin(), words.end());
    return engine.execute(client, views);
  }
  /// As bytes.
  std::string tell(const std::vector<std::string>& words) {
    const Value value = ask(words);
    std::string out;
    append(out, value, client.version);
    return out;
  }

  std::int64_t now_us = 1'800'000'000'000'000;
  bool replica = false;
  std::string id = std::string(40, 'a');
  std::vector<Effects> stream;
  std::vector<std::string> script_keys;
  Client client;
  Engine engine;
};

}  // namespace sluice::sim::testing
