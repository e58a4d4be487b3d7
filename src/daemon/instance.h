// One daemon but for its sockets, files and signals: what a configuration asks for, wired together. What
// surrounds it, the operating system or the simulation, brings it connections and tells it what happens.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/stream.h"
#include "config/load.h"
#include "config/settings.h"
#include "daemon/stores.h"
#include "engine/engine.h"
#include "observe/log.h"
#include "server/server.h"

namespace sluice::daemon {

class Instance {
 public:
  /// The references must outlive the instance; `backing` is made from the same configuration.
  Instance(Loop& loop, observe::Log& log, Backing& backing, config::Config config);
  ~Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  /// Where listeners report their connections.
  [[nodiscard]] server::Server& server() { return server_; }
  /// As it was started: reloads do not change it.
  [[nodiscard]] const config::Settings& settings() const { return settings_; }
  [[nodiscard]] const engine::Engine& engine() const { return engine_; }
  [[nodiscard]] engine::Engine& engine() { return engine_; }

  /// Connects to the store, if there is anything to connect to. Serving does not wait for that.
  void start() { backing_.start(); }

  /// Takes over what can change in a running daemon; `cause` is for the log.
  void reload(const config::Config& wanted, std::string_view cause);

  /// Answers what is in flight, gives back what was leased, and calls `done` from the loop: once, and within
  /// a second, whatever clients and the store do. The listeners must be gone.
  void drain(std::string_view cause, std::function<void()> done);
  [[nodiscard]] bool draining() const { return draining_; }

 private:
  void return_leases();
  void finish();

  // In the order of construction: what is below uses what is above.
  Loop& loop_;
  observe::Log& log_;
  Backing& backing_;
  config::Settings settings_;
  engine::Engine engine_;
  server::Server server_;
  bool draining_ = false;
  bool returning_ = false;
  std::function<void()> drained_;
};

/// What the settings of [log] ask for.
[[nodiscard]] observe::LogOptions log_options(const config::Settings::Log& settings);

}  // namespace sluice::daemon
