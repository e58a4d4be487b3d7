// The connections of a simulated server or sentinel: requests in, answers out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/liveness.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/core/node_loop.h"
#include "sim/network/network.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/value.h"

namespace sluice::sim {

class Session;

class ServiceEvents {
 public:
  virtual ~ServiceEvents() = default;
  /// The answer; Session::client() says what else is to be done. If it has set `wait`, nothing is answered
  /// and nothing more is read until Session::resume.
  [[nodiscard]] virtual Value on_request(Session& session, Words words) = 0;
  virtual void on_gone(Session& session) = 0;
  /// How much later than now the answers of this moment are sent.
  [[nodiscard]] virtual Duration delay() = 0;
};

class Session final : private StreamEvents {
 public:
  Session(std::unique_ptr<ByteStream> stream, NodeLoop& loop, ServiceEvents& events, Client client);

  [[nodiscard]] Client& client() { return client_; }
  /// Answers what waited, and goes on with what came meanwhile.
  void resume(const Value& value);
  /// Sent at once, whatever is being read: what nobody asked for.
  void push(const Value& message);
  /// Closes the connection.
  void kill();
  [[nodiscard]] bool gone() const { return gone_; }
  void start() { stream_->start(*this); }

 private:
  void on_bytes(std::string_view bytes) override;
  void on_end() override { kill(); }
  void on_drained() override {}
  void on_closed(std::string_view reason) override;
  void read();
  bool read_one();
  void answer(const Value& value);
  void flush();
  void finish();

  std::unique_ptr<ByteStream> stream_;
  NodeLoop& loop_;
  ServiceEvents& events_;
  Client client_;
  std::string in_;
  std::string out_;
  std::size_t held_back_ = 0;  ///< answers that a timer sends
  Instant sent_at_{};          ///< the last of them
  bool finishing_ = false;
  bool gone_ = false;
  Liveness liveness_;
};

/// Listens from its construction on; destroying it ends all its connections.
class Service final : private ListenerEvents, private ServiceEvents {
 public:
  Service(Network& network, HostId host, std::uint16_t port, NodeLoop& loop, ServiceEvents& events);
  ~Service() override;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// Those that are not gone, oldest first.
  [[nodiscard]] std::vector<Session*> sessions() const;

 private:
  void on_connection(std::unique_ptr<ByteStream> stream) override;
  [[nodiscard]] Value on_request(Session& session, Words words) override;
  void on_gone(Session& session) override;
  [[nodiscard]] Duration delay() override { return events_.delay(); }
  [[nodiscard]] HostId host_of(std::string_view peer) const;

  Network& network_;
  NodeLoop& loop_;
  ServiceEvents& events_;
  std::uint64_t next_id_ = 1;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::unique_ptr<Listener> listener_;
  Liveness liveness_;
};

}  // namespace sluice::sim
