// What the files of network/ share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/liveness.h"
#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/connection.h"
#include "sim/network/network.h"

namespace sluice::sim {

class SimListener;
struct Dial;

struct Host {
  std::string name;
  bool powered = true;
  SimTime off_since{};
  std::uint64_t boots = 1;
};

using ConnectionRef = std::shared_ptr<Connection>;

struct Network::Impl {
  Impl(Timeline& the_timeline, Trace& the_trace, Draw the_draw, const NetworkOptions& the_options);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // --- network.cc
  /// Unless the network is gone by then.
  Timeline::EventId after(Duration delay, std::function<void()> act);
  void note(std::string_view who, std::string_view what);
  [[nodiscard]] Duration latency(HostId from, HostId to);
  [[nodiscard]] bool blocked(HostId from, HostId to) const { return blocks.contains({from, to}); }
  /// Whether a packet sent or arriving now gets there.
  [[nodiscard]] bool passes(HostId from, HostId to) const;

  // --- transport.cc: `side` is the end that sends, or that something happens to
  void send(const ConnectionRef& connection, std::size_t side, std::string_view bytes);
  void put(const ConnectionRef& connection, std::size_t side, Chunk chunk, Duration gap = {});
  /// What was held gets through again, after an outage of that length.
  void release(const ConnectionRef& connection, std::size_t side, Duration outage);
  void hold(const ConnectionRef& connection, std::size_t side);
  void schedule(const ConnectionRef& connection, std::size_t side);
  void arrive(const ConnectionRef& connection, std::size_t side);
  void deliver(const ConnectionRef& connection, std::size_t side, const Chunk& chunk);

  // --- ends.cc
  /// The process at `side` has read these bytes.
  void took(Connection& connection, std::size_t side, std::string_view bytes);
  /// Word of what was read and received can get back to the sender at `side`.
  void acknowledge(Connection& connection, std::size_t side);
  /// The process at `side` is done with it, or gone.
  void close(const ConnectionRef& connection, std::size_t side);
  void fail(const ConnectionRef& connection, std::size_t side, std::string_view reason);
  /// What is at `side` reads no more: a peer that waits for room gets it, so that its next bytes are under
  /// way and meet the answer that is due to them.
  void let_go(Connection& connection, std::size_t side);
  void expect_progress(const ConnectionRef& connection, std::size_t side);
  void give_up(const ConnectionRef& connection, std::size_t side);
  void forget_if_over(Connection& connection);
  [[nodiscard]] std::vector<ConnectionRef> all() const;

  // --- dial.cc
  void dial(const std::shared_ptr<Dial>& dial);
  void request_arrives(const std::shared_ptr<Dial>& dial);
  void answer_arrives(const std::shared_ptr<Dial>& dial);
  void accept(const ConnectionRef& connection);

  // --- faults.cc
  void unblock(HostId from, HostId to);
  void reset(const ConnectionRef& connection);
  void power_off(HostId host);
  void power_on(HostId host);

  Timeline& timeline;
  Trace& trace;
  Draw draw;
  NetworkOptions options;
  NetworkCounters counters;
  std::vector<Host> hosts;
  std::map<std::string, HostId, std::less<>> by_name;
  std::map<std::pair<HostId, HostId>, SimTime> blocks;  ///< since when
  std::map<std::pair<HostId, std::uint16_t>, SimListener*> listeners;
  std::map<std::uint64_t, ConnectionRef> connections;  ///< that have an open end or a stream
  std::uint64_t next_id = 1;                           ///< of connections and listeners
  Liveness liveness;
};

}  // namespace sluice::sim
