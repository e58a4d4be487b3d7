#include "sim/redis/engine.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/lua_runtime.h"
#include "sim/redis/server.h"
#include "sim/redis/slots.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

constexpr std::string_view kReadonly = "READONLY You can't write against a read only replica.";
constexpr std::string_view kNoReplicas = "NOREPLICAS Not enough good replicas to write.";
constexpr std::string_view kOom = "OOM command not allowed when used memory > 'maxmemory'.";
constexpr std::string_view kLoading = "LOADING Redis is loading the dataset in memory";
constexpr std::string_view kBusy =
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.";
constexpr std::string_view kMisconf =
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. "
    "Commands that may modify the data set are disabled, because this instance is configured to report "
    "errors "
    "during writes if RDB snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis "
    "logs for details about the RDB error.";

Value error_of(std::string_view text) {
  return Value::error(std::string(text));
}

constexpr std::uint64_t kSweepEvery = 10'000;

}  // namespace

Engine::Engine(EngineHost& host, EngineOptions options)
    : host_(host), options_(std::move(options)), scripts_(static_cast<ScriptCaller&>(*this)) {}

Value Engine::execute(Client& client, Words words) {
  ++commands_;
  const Command* command = find_command(words);
  const bool old = !options_.knows_resp3 && command != nullptr && command->name == "hello";
  if (command == nullptr || old) return unknown_command(words);
  if (command->has(Command::parent) && words.size() > 1) return unknown_subcommand(words);
  if (!command->takes(words.size())) return wrong_arity(command->name);
  auto refused = refusal(client, *command, words);
  Value answer = refused ? *std::move(refused) : (this->*command->run)(client, words);
  if (command->name != "asking") client.asking = false;
  finish(client);
  if (++since_sweep_ >= kSweepEvery) sweep();
  return answer;
}

// In the order in which Redis looks.
std::optional<Value> Engine::refusal(const Client& client, const Command& command, Words words) const {
  const bool authenticated = client.authenticated || options_.password.empty();
  if (!authenticated && !command.has(Command::no_auth)) return error_of("NOAUTH Authentication required.");
  if (auto elsewhere = redirection(client, command, words)) return elsewhere;
  if (auto refused = refusal_of_write(command, false)) return refused;
  const bool subscriber = !client.channels.empty() && client.version == Resp::two;
  const std::string_view name = command.name;
  if (subscriber && name != "subscribe" && name != "unsubscribe" && name != "ping" && name != "quit") {
    return Value::error("ERR Can't execute '" + std::string(name) +
                        "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this "
                        "context");
  }
  if (trouble_ == RedisTrouble::loading && !command.has(Command::loading)) return error_of(kLoading);
  if (trouble_ == RedisTrouble::busy && !command.has(Command::busy)) return error_of(kBusy);
  return std::nullopt;
}

std::optional<Value> Engine::refusal_of_write(const Command& command, bool in_script) const {
  const bool writes = command.has(Command::write);
  const bool grows = command.has(Command::grows);
  // A script that has written once may go on: half of it would be worse.
  if (trouble_ == RedisTrouble::oom && grows && !in_script) return error_of(kOom);
  const bool tells_of_disk = writes || (!in_script && command.name == "ping");
  if (trouble_ == RedisTrouble::misconf && tells_of_disk && !host_.is_replica()) return error_of(kMisconf);
  if (trouble_ == RedisTrouble::noreplicas && writes && !host_.is_replica()) return error_of(kNoReplicas);
  if (writes && (trouble_ == RedisTrouble::readonly || host_.is_replica())) return error_of(kReadonly);
  if (trouble_ == RedisTrouble::oom && grows && !script_wrote_) return error_of(kOom);
  return std::nullopt;
}

std::optional<Value> Engine::redirection(const Client& client, const Command& command, Words words) const {
  if (!slots_) return std::nullopt;
  const std::vector<std::string_view> keys = command.keys(words);
  return slots_->redirect(keys, client.asking, [&] {
    RedisServer::Slots::Present present;
    for (const std::string_view key : keys) {
      const Keyspace::Entry* entry = data_.find(key);
      ++(entry != nullptr && !entry->expired(now_ms()) ? present.keys : present.missing);
    }
    return present;
  });
}

std::int64_t Engine::now_ms() const {
  constexpr std::int64_t kMicrosecondsPerMillisecond = 1000;
  return (script_client_ != nullptr ? script_began_us_ : host_.wall_us()) / kMicrosecondsPerMillisecond;
}

const Keyspace::Entry* Engine::lookup(std::string_view key) {
  const Keyspace::Entry* entry = data_.find(key);
  if (entry == nullptr || !entry->expired(now_ms())) return entry;
  // A replica waits for its master to remove it.
  if (!host_.is_replica()) change({.kind = Effect::Kind::remove, .key = std::string(key)});
  return nullptr;
}

void Engine::change(Effect effect) {
  data_.apply(effect);
  pending_.push_back(std::move(effect));
}

void Engine::finish(Client& client) {
  if (!pending_.empty()) client.wrote = host_.propagate(std::exchange(pending_, {}));
}

void Engine::change_now(Effects effects) {
  for (Effect& effect : effects) change(std::move(effect));
  host_.propagate(std::exchange(pending_, {}));
}

void Engine::sweep() {
  since_sweep_ = 0;
  if (host_.is_replica()) return;
  for (std::string& key : data_.expired(now_ms()))
    change_now({{.kind = Effect::Kind::remove, .key = std::move(key)}});
}

Value Engine::call_from_script(std::span<const std::string_view> words) {
  const Command* command = find_command(words);
  const bool old = !options_.knows_resp3 && command != nullptr && command->name == "hello";
  if (command == nullptr || old || (command->has(Command::parent) && words.size() > 1))
    return error_of("ERR Unknown Redis command called from script");
  if (!command->takes(words.size()))
    return error_of("ERR Wrong number of args calling Redis command from script");
  const bool no_time = !options_.allows_time && command->name == "time";
  if (command->has(Command::not_in_script) || no_time)
    return error_of("ERR This Redis command is not allowed from script");
  if (auto refused = refusal_of_write(*command, true)) return *std::move(refused);
  if (command->has(Command::write)) script_wrote_ = true;
  SLUICE_ASSERT(script_client_ != nullptr);
  return (this->*command->run)(*script_client_, words);
}

}  // namespace sluice::sim
