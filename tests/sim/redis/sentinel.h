// A simulated sentinel: what one tells, not how they agree. The world decides on failovers and tells each
// sentinel what it now believes, late, wrongly or never.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/core/node_clock.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"

namespace sluice::sim {

class RedisSentinel {
 public:
  /// The references must outlive it. Listens on port 26379 from start().
  RedisSentinel(Network& network, HostId host, Timeline& timeline, const NodeClock& clock, Trace& trace);
  ~RedisSentinel();
  RedisSentinel(const RedisSentinel&) = delete;
  RedisSentinel& operator=(const RedisSentinel&) = delete;

  void start();
  void crash();
  void suspend(SimTime until);
  [[nodiscard]] bool running() const;

  /// It believes that the master `name` is at host:port, by an election of that epoch. With a change of the
  /// address subscribers are told +switch-master. Beliefs outlive a crash (its file has them).
  void believe(const std::string& name, const std::string& host, std::uint16_t port, std::uint64_t epoch);
  /// It was never told of that master, or forgot it.
  void forget(const std::string& name);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::sim
