// A store on a fake connection; the test is the server, and the caller.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "store/redis/errors.h"
#include "store/redis/redis_store.h"
#include "store/redis/scripts.h"
#include "store/store.h"
#include "support/fake_connector.h"
#include "support/virtual_loop.h"

namespace sluice::store::redis {

/// Writes down what the log would get.
struct StoreLog final : RedisStoreEvents {
  std::vector<std::string> lines;
  Generation generation = 0;

  void on_serving(Generation now, bool new_history) override {
    generation = now;
    lines.emplace_back(new_history ? "serving, new history" : "serving");
  }
  void on_lost(std::string_view reason) override { lines.push_back("lost: " + std::string(reason)); }
  void on_attempt_failed(std::string_view reason) override {
    lines.push_back("failed: " + std::string(reason));
  }
  void on_refused(ErrorKind kind, std::string_view text) override {
    lines.push_back(std::string(name_of(kind)) + ": " + std::string(text));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(lines, {}); }
};

/// Keeps outcomes by tag; each may come once.
struct Sink final : StoreSink {
  std::map<std::uint64_t, Outcome> outcomes;
  std::function<void()> hook;

  void on_outcome(std::uint64_t tag, const Outcome& outcome) override {
    EXPECT_TRUE(outcomes.emplace(tag, outcome).second) << "answered twice: " << tag;
    if (hook) hook();
  }
};

using Command = std::vector<std::string>;
using Lines = std::vector<std::string>;

/// Commands out of the bytes that a client wrote.
[[nodiscard]] inline std::vector<Command> parse_commands(std::string_view bytes) {
  std::vector<Command> commands;
  const auto number = [&bytes] {
    const auto end = bytes.find("\r\n");
    const auto value = parse_int(bytes.substr(1, end - 1)).value();
    bytes.remove_prefix(end + 2);
    return static_cast<std::size_t>(value);
  };
  while (!bytes.empty()) {
    Command& command = commands.emplace_back();
    for (std::size_t left = number(); left > 0; --left) {
      const std::size_t size = number();
      command.emplace_back(bytes.substr(0, size));
      bytes.remove_prefix(size + 2);
    }
  }
  return commands;
}

struct RedisStoreTest : testing::Test {
  static constexpr std::int64_t kNowUs = 1'900'000'000'000'000;
  static constexpr Duration kTimeout = std::chrono::milliseconds{250};

  test::VirtualLoop loop;
  test::SeededRandom random;
  test::FakeConnector connector{loop};
  StoreLog log;
  Sink sink;
  Scripts scripts;
  std::unique_ptr<RedisStore> store;
  Duration announce_every = std::chrono::hours{1'000};
  limiter::Limit limit = fixed(100);

  static limiter::Limit fixed(std::int64_t count) {
    return limiter::Limit::make({.algorithm = limiter::Algorithm::fixed_window,
                                 .count = count,
                                 .period = std::chrono::minutes{1}})
        .value();
  }

  void start(std::size_t max_requests = 10'000) {
    RedisStoreOptions options;
    options.connection.endpoint = {.host = "redis", .port = 6379};
    options.max_requests = max_requests;
    options.announce_every = announce_every;
    store = std::make_unique<RedisStore>(loop, connector, random, log, options);
    store->set_sink(sink);
    store->start();
    loop.turn();
  }
  /// Accepts the connection and its introduction, but does not answer the attach.
  void connect() {
    connector.accept();
    loop.turn();
    test::heard(connector.wire());
    say("*0\r\n");
  }
  void reconnect() {
    while (!connector.trying()) loop.advance(std::chrono::milliseconds{1});
    connect();
  }
  void serve(std::size_t max_requests = 10'000) {
    start(max_requests);
    connect();
    EXPECT_EQ(heard().size(), 1U);
    say(attached(1, "run"));
    EXPECT_EQ(log.take(), Lines{"serving"});
    EXPECT_TRUE(store->serving());
  }

  void say(std::string_view bytes) {
    test::say(connector.wire(), bytes);
    loop.turn();
  }
  [[nodiscard]] std::vector<Command> heard() {
    loop.turn();
    return parse_commands(test::heard(connector.wire()));
  }
  /// The one command that was heard.
  [[nodiscard]] Command heard_one() {
    auto commands = heard();
    EXPECT_EQ(commands.size(), 1U);
    return commands.empty() ? Command(10) : commands.front();
  }

  [[nodiscard]] static std::string number(std::int64_t n) { return ":" + std::to_string(n) + "\r\n"; }
  [[nodiscard]] static std::string text(const std::string& s) {
    return "$" + std::to_string(s.size()) + "\r\n" + s + "\r\n";
  }
  /// What attaching is answered. By default there is nothing that is waited for.
  struct AttachAnswer {
    std::int64_t generation = 1;
    std::string run = "run";
    std::int64_t now_us = kNowUs;
    std::string lines{};  ///< empty: that of the generation, which began at 7
    bool acknowledged = true;
    bool is_new = false;
    int replicas = 0;
    std::string members{};
    std::int64_t age_us = 0;
  };
  [[nodiscard]] static std::string attached(const AttachAnswer& answer) {
    const std::string line = std::to_string(answer.generation) + " " + answer.run + " 7";
    return "*10\r\n" + number(answer.generation) + text(answer.run) + number(7) + number(answer.now_us) +
           text(answer.lines.empty() ? line : answer.lines) + number(answer.acknowledged ? 1 : 0) +
           number(answer.is_new ? 1 : 0) + number(answer.replicas) + text(answer.members) +
           number(answer.age_us);
  }
  [[nodiscard]] static std::string attached(std::int64_t generation, const std::string& run,
                                            std::int64_t now_us = kNowUs) {
    return attached({.generation = generation, .run = run, .now_us = now_us});
  }
  [[nodiscard]] static std::string announced(const std::string& members, int status = kDone) {
    return "*3\r\n" + number(status) + number(kNowUs) + text(members);
  }
  /// `status` as scripts say it: 0 done, 1 other history, 2 outside of the calendar.
  [[nodiscard]] static std::string answer(int status, std::int64_t granted = 0,
                                          std::int64_t now_us = kNowUs) {
    std::string bytes = "*9\r\n";
    for (const std::int64_t n :
         {std::int64_t{status}, granted, std::int64_t{2}, std::int64_t{90}, std::int64_t{0},
          std::int64_t{5'000'000}, std::int64_t{30'000'000}, now_us, std::int64_t{41}})
      bytes += ":" + std::to_string(n) + "\r\n";
    return bytes;
  }
  static constexpr int kDone = 0;
  static constexpr int kOtherLineage = 1;
  static constexpr int kOutsideCalendar = 2;
  static constexpr int kRepairing = 3;
  static constexpr std::string_view kNoScript = "-NOSCRIPT No matching script. Please use EVAL.\r\n";

  std::optional<Outcome> lease(std::uint64_t tag, const limiter::Limit* of = nullptr) {
    const std::vector<Need> needs = {{.cost = 3, .count = 2}};
    return store->lease({.key = "rule:x", .limit = of != nullptr ? of : &limit, .needs = needs, .extra = 4},
                        tag);
  }
  std::optional<Outcome> give_back(std::uint64_t tag, Generation generation) {
    GiveBack request;
    request.key = "rule:x";
    request.limit = &limit;
    request.tokens = 5;
    request.generation = generation;
    return store->give_back(request, tag);
  }
  [[nodiscard]] std::optional<StoreError> error_of(std::uint64_t tag) const {
    const auto found = sink.outcomes.find(tag);
    if (found == sink.outcomes.end()) {
      ADD_FAILURE() << tag << " was not answered";
      return std::nullopt;
    }
    return found->second.error;
  }
  [[nodiscard]] std::string sha(Script script) const { return std::string(scripts[script].sha1); }
};

}  // namespace sluice::store::redis
