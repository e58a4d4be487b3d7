// Redis servers that replicate asynchronously, in one real server: each is a database of it, holding the meta
// hash and one counter. What a replica holds is a prefix of its master's history, as long as the test likes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/redis/reply.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "support/redis_server.h"

namespace sluice::store::redis::testing {

/// The scripts are the product's, whole. Only what they ask their server is answered by the test: the
/// replication id, which is the last argument, and a clock, of which there is none.
class ReplicatedServers {
 public:
  static constexpr std::size_t kServers = 3;
  static constexpr const char* kMeta = "meta";
  static constexpr const char* kCounter = "counter";

  ReplicatedServers() {
    for (std::size_t i = 0; i < kScripts; ++i) {
      const ScriptText& text = scripts_[static_cast<Script>(i)];
      const Reply sha = client_.ask({"SCRIPT", "LOAD", std::string(kAnswers) + std::string(text.source)});
      if (sha.kind != Reply::Kind::string) throw std::runtime_error(sha.text);
      shas_[i] = sha.text;
    }
  }

  /// All empty; the first one is master of the others.
  void begin() {
    client_.ask({"FLUSHALL"});
    master_ = 0;
    for (std::size_t i = 0; i < kServers; ++i) servers_[i] = {.id = "s" + std::to_string(i)};
  }

  [[nodiscard]] std::size_t master() const { return master_; }
  [[nodiscard]] bool replicates(std::size_t i) const { return i != master_ && servers_[i].source == master_; }

  /// Carries a script out, unless the server is a replica: nothing.
  std::optional<Reply> call(std::size_t i, Script script, const Arguments& arguments) {
    if (replicates(i)) return std::nullopt;
    const bool counts = script != Script::attach && script != Script::announce;
    std::vector<std::string> command{"EVALSHA", shas_[static_cast<std::size_t>(script)]};
    if (counts) {
      command.insert(command.end(), {"2", kCounter, kMeta});
    } else {
      command.insert(command.end(), {"1", kMeta});
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (!counts) command.push_back(servers_[i].id);
    client_.append({"SELECT", std::to_string(i)});
    client_.append(command);
    append_dump();
    static_cast<void>(client_.read());
    Reply reply = client_.read();
    servers_[i].history.push_back(read_dump());
    return reply;
  }

  [[nodiscard]] std::int64_t number_in_meta(std::size_t i, const char* field) {
    client_.ask({"SELECT", std::to_string(i)});
    const Reply reply = client_.ask({"HGET", kMeta, field});
    return reply.kind == Reply::Kind::string ? std::stoll(reply.text) : 0;
  }

  /// The replica takes up to that many further commands of its master's history.
  void replicate(std::size_t i, std::size_t commands) {
    const std::vector<State>& history = servers_[master_].history;
    const std::size_t to = std::min(history.size(), servers_[i].taken + commands);
    if (to == servers_[i].taken) return;
    servers_[i].taken = to;
    restore(i, history[to - 1]);
  }
  /// Becomes a replica of the master, and is given all that it has.
  void resynchronize(std::size_t i) {
    servers_[i].source = master_;
    servers_[i].taken = servers_[master_].history.size();
    client_.ask({"SELECT", std::to_string(master_)});
    append_dump();
    restore(i, read_dump());
  }
  /// With what it has; the master before goes on as one for those who ask it.
  void promote(std::size_t i) {
    master_ = i;
    servers_[i].history.clear();
    for (Server& server : servers_) server.taken = 0;  // of this new part of its history
    servers_[i].id += "x";
  }
  /// The master comes back with nothing.
  void empty_master() {
    client_.ask({"SELECT", std::to_string(master_)});
    client_.ask({"FLUSHDB"});
    for (Server& server : servers_) server.source = kServers;
    promote(master_);
  }

 private:
  /// The values of both keys, as DUMP gives them.
  using State = std::array<std::optional<std::string>, 2>;
  struct Server {
    std::string id{};
    std::size_t source = 0;
    std::size_t taken = 0;  ///< of its master's history
    std::vector<State> history{};
  };

  static constexpr std::string_view kAnswers = R"lua(
local real = redis
local id = ARGV[#ARGV]
local redis = {call = real.call, error_reply = real.error_reply, pcall = function(command, ...)
  if command == 'INFO' then return 'master_replid:' .. id .. '\r\nconnected_slaves:0\r\n' end
  if command == 'TIME' then return {err = 'ERR no clock'} end
  return real.pcall(command, ...)
end}
)lua";

  void append_dump() {
    for (const char* key : {kMeta, kCounter}) client_.append({"DUMP", key});
  }
  State read_dump() {
    State state;
    for (auto& value : state) {
      Reply reply = client_.read();
      if (reply.kind == Reply::Kind::string) value = std::move(reply.text);
    }
    return state;
  }
  void restore(std::size_t i, const State& state) {
    client_.append({"SELECT", std::to_string(i)});
    client_.append({"DEL", kMeta, kCounter});
    int answers = 2;
    for (std::size_t k = 0; k < state.size(); ++k) {
      if (!state[k]) continue;
      client_.append({"RESTORE", k == 0 ? kMeta : kCounter, "0", *state[k]});
      ++answers;
    }
    for (; answers > 0; --answers) {
      const Reply reply = client_.read();
      if (reply.kind == Reply::Kind::error) throw std::runtime_error(reply.text);
    }
  }

  test::RedisServer server_;
  test::RedisClient client_{server_};
  Scripts scripts_;
  std::array<std::string, kScripts> shas_{};
  std::array<Server, kServers> servers_{};
  std::size_t master_ = 0;
};

}  // namespace sluice::store::redis::testing
