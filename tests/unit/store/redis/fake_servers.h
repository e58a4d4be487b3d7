// A network of Redis-like servers without sockets: the test says what each answers, and which are gone or
// hang.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/stream.h"
#include "unit/store/redis/redis_store_fixture.h"

namespace sluice::store::redis {

/// Bytes of replies.
[[nodiscard]] inline std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}
[[nodiscard]] inline std::string array(const std::vector<std::string>& items) {
  std::string bytes = "*" + std::to_string(items.size()) + "\r\n";
  for (const std::string& item : items) bytes += item;
  return bytes;
}
[[nodiscard]] inline std::string bulks(const std::vector<std::string>& texts) {
  std::vector<std::string> items;
  for (const std::string& text : texts) items.push_back(bulk(text));
  return array(items);
}

class FakeServers final : public Connector {
 public:
  class Session;
  enum class Mode : std::uint8_t {
    up,
    refuses,
    hangs,  ///< neither accepts nor answers; what is connected stays so
  };
  struct Server {
    Mode mode = Mode::up;
    /// Bytes of the reply to a command. HELLO has its own.
    std::function<std::string(const Command&)> answer = [](const Command&) { return "-ERR no\r\n"; };
    std::vector<Command> heard{};  ///< but for HELLO
    std::string hello{};           ///< the last one, as words
    std::size_t attempts = 0;
    std::set<Session*> sessions{};
  };

  explicit FakeServers(Loop& loop) : loop_(loop) {}

  /// By its address.
  Server& operator[](const std::string& address) { return servers_[address]; }

  [[nodiscard]] std::unique_ptr<ConnectAttempt> connect(const Endpoint& endpoint,
                                                        ConnectEvents& events) override;

  /// Sends bytes on all connections to it that have subscribed.
  void publish(const std::string& address, const std::string& bytes);
  /// Ends all connections to it.
  void cut(const std::string& address);

 private:
  struct Attempt final : ConnectAttempt {
    Liveness liveness;
  };

  Loop& loop_;
  std::map<std::string, Server> servers_;
};

/// One connection; both ends of it.
class FakeServers::Session final : public ByteStream {
 public:
  Session(Loop& loop, Server& server) : loop_(loop), server_(server) { server_.sessions.insert(this); }
  ~Session() override { server_.sessions.erase(this); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start(StreamEvents& events) override { events_ = &events; }
  void write(std::string_view bytes) override {
    for (const Command& command : parse_commands(bytes)) hear(command);
  }
  [[nodiscard]] std::size_t unsent() const override { return 0; }
  void pause() override {}
  void resume() override {}
  void finish() override {}
  void close() override {}
  [[nodiscard]] std::string peer() const override { return "fake"; }

  void say(std::string bytes) {
    loop_.defer([this, bytes = std::move(bytes), watch = liveness_.watch()] {
      if (watch && server_.mode != Mode::hangs) events_->on_bytes(bytes);
    });
  }
  void end() {
    loop_.defer([this, watch = liveness_.watch()] {
      if (watch) events_->on_end();
    });
  }
  [[nodiscard]] bool subscribed() const { return subscribed_; }

 private:
  void hear(const Command& command) {
    if (command.front() == "HELLO") {
      server_.hello.clear();
      for (const std::string& word : command) server_.hello += word + " ";
      return say("*0\r\n");
    }
    server_.heard.push_back(command);
    subscribed_ = subscribed_ || command.front() == "SUBSCRIBE";
    say(server_.answer(command));
  }

  Loop& loop_;
  Server& server_;
  StreamEvents* events_ = nullptr;
  bool subscribed_ = false;
  Liveness liveness_;
};

inline std::unique_ptr<ConnectAttempt> FakeServers::connect(const Endpoint& endpoint, ConnectEvents& events) {
  Server& server = servers_[endpoint.text()];
  ++server.attempts;
  auto attempt = std::make_unique<Attempt>();
  loop_.defer([this, &server, &events, watch = attempt->liveness.watch()] {
    if (!watch || server.mode == Mode::hangs) return;
    if (server.mode == Mode::refuses) return events.on_connect_failed("Connection refused");
    events.on_connected(std::make_unique<Session>(loop_, server));
  });
  return attempt;
}

inline void FakeServers::publish(const std::string& address, const std::string& bytes) {
  for (Session* session : servers_[address].sessions)
    if (session->subscribed()) session->say(bytes);
}

inline void FakeServers::cut(const std::string& address) {
  for (Session* session : servers_[address].sessions) session->end();
}

}  // namespace sluice::store::redis
