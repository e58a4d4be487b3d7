// A network of byte streams on virtual time, with everything that TCP lets happen to them.
//
// As with TCP bytes are never lost, doubled or reordered within a connection: they come late, in other pieces
// than they were written in, or the connection ends. What a fault is to a process is therefore: silence, a
// reset, or nothing at all (half-open).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"

namespace sluice::sim {

using HostId = std::uint32_t;

/// One way of a packet. Drawn anew for each chunk; chunks of one direction do not overtake each other.
struct Latency {
  Duration shortest = std::chrono::microseconds{50};
  Duration usual = std::chrono::microseconds{300};  ///< uniform from shortest to this
  Duration slow = std::chrono::milliseconds{40};    ///< of the slow tail: log-uniform from usual to this
  double slow_share = 0.002;                        ///< of chunks that are of the slow tail
};

struct NetworkOptions {
  Latency latency{};
  /// Of an end to itself (the Unix socket between an application and its sidecar).
  Latency local{.shortest = std::chrono::microseconds{5},
                .usual = std::chrono::microseconds{40},
                .slow = std::chrono::milliseconds{1},
                .slow_share = 0.0005};
  double split_share = 0.2;  ///< of writes that arrive in several pieces, cut anywhere
  std::size_t send_buffer =
      std::size_t{64} * 1024;                   ///< bytes under way beyond which a stream has unsent() ones
  Duration gives_up = std::chrono::minutes{2};  ///< silence after which unacknowledged bytes end a connection
  /// An attempt without an answer fails after this long, as the real connector's does.
  Duration answer_within = std::chrono::seconds{1};
};

/// What was done to connections, for the report.
struct NetworkCounters {
  std::uint64_t connections = 0;
  std::uint64_t chunks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t splits = 0;
  std::uint64_t slow = 0;     ///< chunks of the slow tail
  std::uint64_t refused = 0;  ///< attempts: nobody listens
  std::uint64_t hung = 0;     ///< attempts into a blocked direction or to a host without power
  std::uint64_t resets = 0;
  std::uint64_t half_open = 0;  ///< connections whose peer lost power
  std::uint64_t delayed = 0;    ///< chunks held up by a block
};

class Network {
 public:
  struct Impl;  ///< for the files of this folder

  /// The references must outlive the network; the network must outlive every stream, listener and connector.
  Network(Timeline& timeline, Trace& trace, Draw draw, const NetworkOptions& options);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  /// `name` is what endpoints call it ("redis-a-0"); unique.
  HostId add_host(std::string name);
  [[nodiscard]] const std::string& name_of(HostId host) const;

  /// Takes connections to `port` of `host` in turns of `loop`, the loop of the process that listens. The port
  /// must be free. Destroying the listener frees it; connections that were taken live on.
  [[nodiscard]] std::unique_ptr<Listener> listen(HostId host, std::uint16_t port, NodeLoop& loop,
                                                 ListenerEvents& events);
  /// Dials from `host`, in turns of `loop`. Endpoints name hosts; an unknown name fails like one that DNS
  /// does not know. To the own host it goes by `local` latency.
  [[nodiscard]] std::unique_ptr<Connector> connector(HostId host, NodeLoop& loop);

  // --- faults -------------------------------------------------------------------------------------------

  /// Nothing gets from `from` to `to` until unblock: chunks wait, as in TCP's retransmissions (after unblock
  /// they arrive within a drawn while, for retransmission backs off: up to as long again as the block
  /// lasted, at most 1 s), attempts hang. The other direction is a block of its own. A reset into a block is
  /// lost. A host always reaches itself.
  void block(HostId from, HostId to);
  void unblock(HostId from, HostId to);
  [[nodiscard]] bool blocked(HostId from, HostId to) const;
  void unblock_all();

  /// Every connection between the two is reset: both ends hear of it (within a latency, blocks or not).
  void reset(HostId a, HostId b);
  /// One connection of the host, drawn; does nothing if it has none.
  void reset_one(HostId host);

  /// The machine is gone without a word: its ends of connections vanish (no on_closed to it: its processes
  /// are destroyed by the caller right after), and their peers hear nothing until something of theirs gets
  /// there after power_on (newly written, or sent again), which is answered by a reset, or until `gives_up`.
  /// Attempts to it hang.
  void power_off(HostId host);
  void power_on(HostId host);

  [[nodiscard]] const NetworkCounters& counters() const;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::sim
