// The seam for outgoing connections. Resolving names, trying addresses and TLS are behind it, so that clients
// of a remote store run unchanged over sockets and over the simulated network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/stream.h"

namespace sluice {

/// Where to connect to: `path` of a Unix socket, or, if that is empty, a host (name or address, an IPv6
/// address without brackets) and a port.
struct Endpoint {
  std::string host{};
  std::uint16_t port = 0;
  std::string path{};

  bool operator==(const Endpoint&) const = default;

  /// "redis:6379", "10.0.0.7:6379", "[::1]:6379", "/run/redis.sock". The error says what would be right.
  [[nodiscard]] static Result<Endpoint> parse(std::string_view text);
  /// As parse() reads it.
  [[nodiscard]] std::string text() const;
};

/// One of several servers: "redis-a:6379", or "a=redis-a:6379" so that its name outlives a change of address.
struct ShardAddress {
  std::string name{};  ///< 1 to 64 of A-Z a-z 0-9 _ . -, or else the address as it is written
  Endpoint endpoint{};

  [[nodiscard]] static Result<ShardAddress> parse(std::string_view text);
};

/// What became of one attempt; one of the two, from the loop, never from inside connect().
class ConnectEvents {
 public:
  virtual ~ConnectEvents() = default;
  virtual void on_connected(std::unique_ptr<ByteStream> stream) = 0;
  /// `reason` names the last address tried and what it answered, for people.
  virtual void on_connect_failed(std::string_view reason) = 0;
};

/// An attempt under way. Destroying it gives it up at once and silently; may be destroyed in its own event.
class ConnectAttempt {
 public:
  virtual ~ConnectAttempt() = default;
};

class Connector {
 public:
  virtual ~Connector() = default;
  /// Resolves and tries every address in turn; never blocks. No deadline of its own: who waits has the timer.
  /// `events` must outlive the attempt.
  [[nodiscard]] virtual std::unique_ptr<ConnectAttempt> connect(const Endpoint& endpoint,
                                                                ConnectEvents& events) = 0;
};

}  // namespace sluice
