// A real redis-server and the simulated command layer side by side, for tests.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/bare_server.h"
#include "sim/redis/value.h"
#include "store/redis/reply.h"
#include "support/redis_server.h"

namespace sluice::sim::testing {

/// As text that shows every difference.
inline std::string shown(const store::redis::Reply& reply) {
  using Kind = store::redis::Reply::Kind;
  switch (reply.kind) {
    case Kind::nil:
      return "nil";
    case Kind::integer:
      return ":" + std::to_string(reply.integer);
    case Kind::string:
      return "\"" + reply.text + "\"";
    case Kind::status:
      return "+" + reply.text;
    case Kind::error:
      return "-" + reply.text;
    case Kind::array:
      break;
  }
  std::string text = "[";
  for (const store::redis::Reply& item : reply.items) text += shown(item) + " ";
  return text + "]";
}

/// As RESP2 has it.
inline store::redis::Reply replied(const Value& value) {
  using Kind = store::redis::Reply::Kind;
  store::redis::Reply reply;
  switch (value.kind) {
    case Value::Kind::nil:
    case Value::Kind::nil_array:
      return reply;
    case Value::Kind::integer:
      return {.kind = Kind::integer, .integer = value.integer};
    case Value::Kind::bulk:
      return {.kind = Kind::string, .text = value.text};
    case Value::Kind::number:
      break;  // goes by its bytes: not asked for here
    case Value::Kind::status:
    case Value::Kind::error: {
      reply.kind = value.kind == Value::Kind::status ? Kind::status : Kind::error;
      reply.text = value.text.substr(0, value.text.find_last_not_of("\r\n") + 1);
      std::ranges::replace_if(reply.text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
      return reply;
    }
    case Value::Kind::array:
    case Value::Kind::map:
      reply.kind = Kind::array;
      for (const Value& item : value.items) reply.items.push_back(replied(item));
      return reply;
  }
  return reply;
}

class BothServers {
 public:
  BothServers() {
    const std::string info = client_.ask({"INFO", "replication"}).text;
    constexpr std::string_view kId = "master_replid:";
    constexpr std::size_t kIdLength = 40;
    simulated.id = info.substr(info.find(kId) + kId.size(), kIdLength);
  }

  struct Answers {
    store::redis::Reply real{};
    store::redis::Reply simulated{};
  };
  /// The same to both. The simulated clock is set by the machine's.
  Answers ask(const std::vector<std::string>& words) {
    Answers answers;
    answers.real = client_.ask(words);
    set_clock();
    const Value value = simulated.ask(words);
    answers.simulated = simulated.client.wait
                            ? store::redis::Reply{.kind = store::redis::Reply::Kind::integer}
                            : replied(value);
    simulated.client.wait.reset();
    return answers;
  }

  /// All that is under these keys, and how long it lives.
  struct Contents {
    std::vector<std::string> values{};
    std::vector<std::int64_t> lives{};
  };
  Contents real_contents(const std::vector<std::string>& keys) {
    for (const std::string& key : keys)
      for (const char* command : {"TYPE", "GET", "HGETALL", "PTTL"}) client_.append({command, key});
    Contents contents;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto type = client_.read();
      const auto text = client_.read();
      const auto hash = client_.read();
      contents.values.push_back(content(type, text, hash));
      contents.lives.push_back(client_.read().integer);
    }
    return contents;
  }
  Contents simulated_contents(const std::vector<std::string>& keys) {
    set_clock();
    Contents contents;
    for (const std::string& key : keys) {
      const auto ask_it = [&](const char* command) { return replied(simulated.ask({command, key})); };
      contents.values.push_back(content(ask_it("TYPE"), ask_it("GET"), ask_it("HGETALL")));
      contents.lives.push_back(ask_it("PTTL").integer);
    }
    return contents;
  }

  BareServer simulated;

 private:
  void set_clock() {
    simulated.now_us = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now())
                           .time_since_epoch()
                           .count();
  }
  static std::string content(const store::redis::Reply& type, const store::redis::Reply& text,
                             const store::redis::Reply& hash) {
    if (type.text != "hash") return shown(type) + " " + shown(text);
    // Real hashes have no order.
    std::map<std::string, std::string> sorted;
    for (std::size_t i = 0; i + 1 < hash.items.size(); i += 2)
      sorted[hash.items[i].text] = hash.items[i + 1].text;
    std::string all = "hash";
    for (const auto& [field, value] : sorted) all += " \"" + field + "\"=\"" + value + "\"";
    return all;
  }

  test::RedisServer server_;
  test::RedisClient client_{server_};
};

}  // namespace sluice::sim::testing
