// Accepts connections and keeps their sessions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/loop.h"
#include "base/stream.h"
#include "engine/engine.h"
#include "server/http_api.h"
#include "server/http_identity.h"
#include "server/protocol.h"
#include "server/session.h"
#include "server/sniff.h"

namespace sluice::server {

struct ServerOptions {
  std::size_t max_connections = 4096;                   ///< one more is told so and closed
  Duration request_timeout = std::chrono::seconds{10};  ///< see SessionLimits
  std::function<void(std::string& out)> more_info{};    ///< appends further sections to INFO
  std::shared_ptr<const HttpRules> http{};              ///< null: the defaults
};

struct ServerCounters {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;    ///< over max_connections
  std::uint64_t timed_out = 0;  ///< closed because a request, or the reading of answers, took too long
};

/// Bound: max_connections sessions. Owned by the daemon; every listener reports here.
class Server final : public ListenerEvents, public SessionOwner, public InfoSource {
 public:
  /// `loop` and `engine` must outlive the server.
  Server(Loop& loop, engine::Engine& engine, const ServerOptions& options);
  ~Server() override;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void on_connection(std::unique_ptr<ByteStream> stream) override;

  /// Answers what has arrived, then closes each connection; `done` is called once all are closed. Listeners
  /// must be gone by then. Not bounded in time here: the caller's own timer is.
  void drain(std::function<void()> done);

  void set_request_timeout(Duration timeout);
  void set_max_connections(std::size_t bound);
  void set_http(std::shared_ptr<const HttpRules> rules);

  [[nodiscard]] std::size_t connections() const { return sessions_.size(); }
  [[nodiscard]] const ServerCounters& counters() const { return counters_; }

 private:
  void closed(Session& session) override;
  [[nodiscard]] std::unique_ptr<Protocol> speak(Spoken spoken, std::uint64_t connection) override;
  [[nodiscard]] std::string info() const override;
  void arm_sweep();
  void sweep();
  void drain_tick();

  Loop& loop_;
  engine::Engine& engine_;
  ServerOptions options_;
  HttpApi http_;
  ServerCounters counters_;
  Instant started_;
  std::uint64_t next_session_ = 1;
  std::list<std::unique_ptr<Session>> sessions_;
  TimerId sweep_timer_ = 0;
  TimerId drain_timer_ = 0;
  int drain_ticks_ = 0;
  std::function<void()> drained_;
};

}  // namespace sluice::server
