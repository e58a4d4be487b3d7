// One connection to one Redis server: connects, introduces itself, pipelines, times out, reconnects.
//
// It repeats no command: what was sent and not answered has an unknown outcome, and its owner is told so.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/connector.h"
#include "base/histogram.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "store/redis/handshake.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {

struct ConnectionOptions {
  Endpoint endpoint{};
  /// Asked at each attempt in place of `endpoint`, if there is one. Nothing: the attempt fails.
  std::function<std::optional<Endpoint>()> where{};
  /// Ask for the server's ROLE, and take nothing but a master. A server that does not tell is taken.
  bool verify_master = false;
  /// Asked at each attempt in place of `username` and `password`, if there is one: so that a changed password
  /// is the next one used. Its client_name is not used.
  std::function<Credentials()> credentials{};
  std::string username{};     ///< empty: the default user, if there is a password
  std::string password{};     ///< empty: no AUTH
  std::string client_name{};  ///< for CLIENT SETNAME; empty: none
  /// For connecting and introducing, all in all.
  Duration connect_timeout = std::chrono::seconds{2};
  /// For each command, from the call of send().
  Duration command_timeout = std::chrono::milliseconds{250};
  /// Before the next attempt: doubled with each failure in a row from the first to the last, each time a
  /// random half to whole of it.
  Duration backoff_first = std::chrono::milliseconds{50};
  Duration backoff_last = std::chrono::seconds{5};
  /// Commands sent and not answered; further ones are refused.
  std::size_t max_in_flight = 10'000;
  /// Largest reply, and most elements of one array. A server that exceeds them is disconnected before
  /// anything of that size is allocated.
  std::size_t max_reply_bytes = std::size_t{1024} * 1024;
  std::size_t max_reply_elements = 4096;
  /// For a connection that subscribes: messages, and arrays that nobody asked for, go to on_push.
  bool pushes = false;
};

/// Plain numbers for observe/ to render.
struct ConnectionCounters {
  std::uint64_t commands = 0;  ///< sent
  std::uint64_t bytes_sent = 0;
  std::uint64_t writes = 0;    ///< to the stream: those of one turn of the loop are one
  std::uint64_t connects = 0;  ///< that got as far as being ready
  std::uint64_t failures = 0;  ///< attempts that did not
  std::uint64_t timeouts = 0;  ///< commands that were not answered in time
  std::uint64_t refused = 0;   ///< commands not taken: not ready, stalled, or too many in flight
  LatencyHistogram latency{};  ///< from sending a command to its reply, be it late; what is lost is in none
};

/// What a connection tells its owner; always from the loop, never from inside a call into the connection.
class ConnectionEvents {
 public:
  virtual ~ConnectionEvents() = default;
  /// Connected and introduced. What is sent from here goes out first.
  virtual void on_ready() = 0;
  /// It was ready and is no more; comes after on_lost_reply for all that was in flight. It reconnects by
  /// itself.
  virtual void on_down(std::string_view reason) = 0;
  /// An attempt to get ready failed: for the log. `reason` holds no secret.
  virtual void on_attempt_failed(std::string_view reason) = 0;
  virtual void on_reply(std::uint64_t tag, const Reply& reply) = 0;
  /// The command was sent, and its reply will never be reported: it may or may not have been carried out.
  virtual void on_lost_reply(std::uint64_t tag) = 0;
  /// Only with `pushes`.
  virtual void on_push(const Reply& push) { static_cast<void>(push); }
};

/// `tag` names a command to the owner. Exactly one of on_reply and on_lost_reply follows each send() that
/// returned true, unless the connection is destroyed.
class Connection {
 public:
  /// All references must outlive the connection. Does nothing before start().
  Connection(Loop& loop, Connector& connector, Random& random, ConnectionEvents& events,
             ConnectionOptions options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Connects, and goes on reconnecting until it is destroyed.
  void start();

  /// Queues a command; all that is queued in one turn of the loop is written at once at its end. False:
  /// nothing was or will be sent, since it is not ready, or has stalled (a command timed out and nothing was
  /// heard since), or max_in_flight is reached.
  [[nodiscard]] bool send(std::span<const std::string_view> arguments, std::uint64_t tag);

  /// Drops the connection as if the server had; it reconnects after the backoff. Being ready resets that only
  /// if it lasted for backoff_last: an owner that drops each connection at once (to a replica, say) must not
  /// spin.
  void drop(std::string_view reason);

  /// What `where` says has changed: drops what there is, or what is waited for, and tries anew after the
  /// shortest backoff. Does nothing before start().
  void redirect(std::string_view reason);

  [[nodiscard]] bool ready() const;
  [[nodiscard]] std::size_t in_flight() const;
  [[nodiscard]] const ConnectionCounters& counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::store::redis
