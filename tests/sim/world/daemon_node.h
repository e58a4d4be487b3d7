// One machine with a daemon on it: the real one, all of it but the sockets, files and signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "base/time.h"
#include "daemon/instance.h"
#include "daemon/stores.h"
#include "observe/log.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/network/network.h"
#include "sim/world/app.h"

namespace sluice::sim {

class DaemonNode {
 public:
  DaemonNode(const Surroundings& world, std::size_t index, Draw draw);
  ~DaemonNode();
  DaemonNode(const DaemonNode&) = delete;
  DaemonNode& operator=(const DaemonNode&) = delete;

  [[nodiscard]] HostId host() const { return host_; }
  [[nodiscard]] NodeClock& clock() { return clock_; }
  [[nodiscard]] bool running() const { return process_ != nullptr; }
  [[nodiscard]] std::string member() const;
  /// Processes there have been.
  [[nodiscard]] std::uint64_t incarnations() const { return incarnation_; }

  void start();
  /// The process dies.
  void crash();
  /// SIGTERM: it drains, and ends by itself.
  void terminate();
  void pause(Duration length, bool io_first);
  /// To the other version of the configuration.
  void reload();

  /// All shards of its store serve it.
  [[nodiscard]] bool serving() const;
  /// A line of its INFO; 0 if there is none.
  [[nodiscard]] std::uint64_t figure(std::string_view name) const;
  /// Adds what its counters tell of rare states.
  void report_states();

  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Process;
  void ended();
  [[nodiscard]] std::string info() const;  ///< empty: it does not run

  Surroundings world_;
  std::size_t index_;
  Draw draw_;
  HostId host_;
  NodeClock clock_;
  std::size_t version_ = 0;  ///< of the configuration
  std::uint64_t incarnation_ = 0;
  std::vector<std::string> violations_;
  std::unique_ptr<Process> process_;
};

}  // namespace sluice::sim
