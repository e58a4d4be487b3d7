// What a simulated server does with a command: all of it but connections and replication.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/lua_runtime.h"
#include "sim/redis/server.h"
#include "sim/redis/slots.h"
#include "sim/redis/value.h"

namespace sluice::sim {

/// What INFO and ROLE tell of replication.
struct ReplicationFacts {
  struct Replica {
    std::string host{};
    std::uint16_t port = 0;
    std::uint64_t offset = 0;  ///< acknowledged
  };

  bool is_replica = false;
  std::string master_host{};  ///< of a replica
  std::uint16_t master_port = 0;
  bool link_up = false;
  std::string id{};           ///< 40 hex digits
  std::string previous_id{};  ///< that is still valid; empty: none
  std::uint64_t previous_end = 0;
  std::uint64_t offset = 0;
  std::vector<Replica> replicas{};
};

/// The server around it.
class EngineHost {
 public:
  virtual ~EngineHost() = default;
  /// Microseconds since 1970 by the machine's clock.
  [[nodiscard]] virtual std::int64_t wall_us() const = 0;
  [[nodiscard]] virtual ReplicationFacts replication() const = 0;
  [[nodiscard]] virtual bool is_replica() const = 0;
  /// Effects that have been applied to the data here. The end of the stream with them.
  virtual std::uint64_t propagate(Effects&& effects) = 0;
  virtual void on_script(const Client& client, std::string_view sha1, Words keys, Words arguments,
                         const Value& answer) = 0;
};

struct EngineOptions {
  std::string password{};
  bool knows_resp3 = true;
  bool allows_time = true;
};

class Engine final : private ScriptCaller {
 public:
  /// `host` must outlive it.
  Engine(EngineHost& host, EngineOptions options);

  /// Carries a command out (at least one word) and returns the answer; Client says what else is to be done.
  [[nodiscard]] Value execute(Client& client, Words words);

  [[nodiscard]] Keyspace& data() { return data_; }
  [[nodiscard]] const Keyspace& data() const { return data_; }
  void set_data(Keyspace data) { data_ = std::move(data); }
  void set_trouble(RedisTrouble trouble) { trouble_ = trouble; }
  void set_slots(std::shared_ptr<const RedisServer::Slots> slots) { slots_ = std::move(slots); }
  void forget_scripts() { scripts_.forget_all(); }
  [[nodiscard]] std::uint64_t commands() const { return commands_; }

  /// Changes that no command makes: applied, and propagated as one step.
  void change_now(Effects effects);
  /// Removes what is expired, as a master does now and then.
  void sweep();

  // The commands: words[0] is the name, the number of words is right.
  Value get(Client& client, Words words);
  Value set(Client& client, Words words);
  Value del(Client& client, Words words);
  Value exists(Client& client, Words words);
  Value pttl(Client& client, Words words);
  Value persist(Client& client, Words words);
  Value type(Client& client, Words words);
  Value flushall(Client& client, Words words);
  Value hget(Client& client, Words words);
  Value hset(Client& client, Words words);
  Value hdel(Client& client, Words words);
  Value hlen(Client& client, Words words);
  Value hmget(Client& client, Words words);
  Value hgetall(Client& client, Words words);
  Value hincrby(Client& client, Words words);
  Value eval(Client& client, Words words);
  Value evalsha(Client& client, Words words);
  Value script_load(Client& client, Words words);
  Value script_exists(Client& client, Words words);
  Value script_flush(Client& client, Words words);
  Value ping(Client& client, Words words);
  Value hello(Client& client, Words words);
  Value auth(Client& client, Words words);
  Value client_setname(Client& client, Words words);
  Value client_getname(Client& client, Words words);
  Value client_id(Client& client, Words words);
  Value select(Client& client, Words words);
  Value quit(Client& client, Words words);
  Value subscribe(Client& client, Words words);
  Value unsubscribe(Client& client, Words words);
  Value role(Client& client, Words words);
  Value info(Client& client, Words words);
  Value time(Client& client, Words words);
  Value wait(Client& client, Words words);
  Value asking(Client& client, Words words);
  Value readonly(Client& client, Words words);
  Value cluster_slots(Client& client, Words words);
  Value cluster_myid(Client& client, Words words);

 private:
  [[nodiscard]] Value call_from_script(std::span<const std::string_view> words) override;
  [[nodiscard]] std::optional<Value> refusal(const Client& client, const Command& command, Words words) const;
  [[nodiscard]] std::optional<Value> refusal_of_write(const Command& command, bool in_script) const;
  [[nodiscard]] std::optional<Value> redirection(const Client& client, const Command& command,
                                                 Words words) const;
  /// Milliseconds since 1970: within a script those of its beginning.
  [[nodiscard]] std::int64_t now_ms() const;
  /// Null: there is none. One that is expired counts as none, and a master removes it.
  [[nodiscard]] const Keyspace::Entry* lookup(std::string_view key);
  void change(Effect effect);
  void finish(Client& client);
  [[nodiscard]] Value run_script(Client& client, std::string_view sha1, Words words);

  EngineHost& host_;
  EngineOptions options_;
  Keyspace data_;
  LuaRuntime scripts_;
  RedisTrouble trouble_ = RedisTrouble::none;
  std::shared_ptr<const RedisServer::Slots> slots_;
  Effects pending_;  ///< of the command under way
  std::uint64_t commands_ = 0;
  std::uint64_t since_sweep_ = 0;

  // Of the script under way.
  Client* script_client_ = nullptr;
  std::int64_t script_began_us_ = 0;
  bool script_wrote_ = false;
};

}  // namespace sluice::sim
