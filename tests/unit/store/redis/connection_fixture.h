// A connection, its owner and the server's side of it.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "store/redis/command.h"
#include "store/redis/connection.h"
#include "store/redis/reply.h"
#include "support/fake_connector.h"
#include "support/virtual_loop.h"

namespace sluice::store::redis {

/// Writes down what it is told, a line each; the hook runs last and may do anything.
struct EventLog final : ConnectionEvents {
  std::vector<std::string> lines;
  std::function<void(const std::string&)> hook;

  void on_ready() override { note("ready"); }
  void on_down(std::string_view reason) override { note("down: " + std::string(reason)); }
  void on_attempt_failed(std::string_view reason) override { note("failed: " + std::string(reason)); }
  void on_reply(std::uint64_t tag, const Reply& reply) override {
    note(std::to_string(tag) + "=" +
         (reply.kind == Reply::Kind::integer ? std::to_string(reply.integer) : reply.text));
  }
  void on_lost_reply(std::uint64_t tag) override { note("lost " + std::to_string(tag)); }

  [[nodiscard]] std::vector<std::string> take() { return std::exchange(lines, {}); }

 private:
  void note(const std::string& line) {
    lines.push_back(line);
    if (const auto call = hook) call(line);
  }
};

[[nodiscard]] inline std::string command(std::initializer_list<std::string_view> arguments) {
  std::string bytes;
  append_command(bytes, std::vector<std::string_view>(arguments));
  return bytes;
}

using Lines = std::vector<std::string>;

struct ConnectionTest : testing::Test {
  static constexpr Duration kTimeout = std::chrono::milliseconds{250};

  test::VirtualLoop loop;
  test::SeededRandom random;
  test::FakeConnector connector{loop};
  EventLog events;
  std::unique_ptr<Connection> connection;

  void make(ConnectionOptions options = {}) {
    if (options.endpoint == Endpoint{}) options.endpoint = {.host = "redis", .port = 6379};
    connection = std::make_unique<Connection>(loop, connector, random, events, std::move(options));
  }
  void start(ConnectionOptions options = {}) {
    make(std::move(options));
    connection->start();
    loop.turn();
  }
  /// Accepts the attempt under way, and answers the introduction.
  void serve() {
    connector.accept();
    loop.turn();
    heard();
    say("*0\r\n");
    loop.turn();
  }
  void start_ready(ConnectionOptions options = {}) {
    start(std::move(options));
    serve();
    EXPECT_EQ(events.take(), Lines{"ready"});
  }
  [[nodiscard]] bool send(std::uint64_t tag) const {
    return connection->send(std::vector<std::string_view>{"GET", std::to_string(tag)}, tag);
  }
  void say(std::string_view bytes) {
    test::say(connector.wire(), bytes);
    loop.turn();
  }
  std::string heard() { return test::heard(connector.wire()); }
  /// Lets time pass until the next attempt; how long it was.
  Duration until_attempt() {
    const auto before = connector.attempts();
    Duration waited{};
    for (; connector.attempts() == before && waited < std::chrono::minutes{1}; waited += kStep)
      loop.advance(kStep);
    return waited;
  }
  static constexpr Duration kStep = std::chrono::microseconds{100};
};

}  // namespace sluice::store::redis
