// Does to the world what its plan says goes wrong, at moments that it draws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/network/network.h"
#include "sim/world/app.h"
#include "sim/world/daemon_node.h"
#include "sim/world/plan.h"
#include "sim/world/servers.h"

namespace sluice::sim {

class Chaos {
 public:
  /// The apps of daemon i are apps[i × plan.apps] and those after it.
  struct Parts {
    Servers& servers;
    std::vector<std::unique_ptr<DaemonNode>>& daemons;
    std::vector<std::unique_ptr<App>>& apps;
  };

  Chaos(const Surroundings& world, const Parts& parts, Draw draw)
      : world_(world), parts_(parts), draw_(draw) {}

  /// From now until stop().
  void begin();
  /// Nothing new goes wrong, and what went wrong is mended.
  void heal();

  [[nodiscard]] std::uint64_t injected(Fault fault) const {
    return injected_[static_cast<std::size_t>(fault)];
  }

 private:
  void arm();
  void inject();
  void inject(Fault fault);
  void on_daemon(Fault fault);
  void on_server(Fault fault);
  void on_network(Fault fault);
  void on_sentinel(Fault fault);
  void daemon_power(DaemonNode& daemon, Duration back_after);
  void isolate(HostId host, Duration length);
  [[nodiscard]] HostId any_server_host();
  [[nodiscard]] Duration while_short();  ///< what timeouts hardly notice
  [[nodiscard]] Duration while_long();   ///< what all of them notice
  [[nodiscard]] Duration a_while() { return draw_.one_in(2) ? while_short() : while_long(); }

  Surroundings world_;
  Parts parts_;
  Draw draw_;
  bool stopped_ = false;
  std::array<std::uint64_t, kFaults> injected_{};
};

}  // namespace sluice::sim
