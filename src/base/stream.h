// The seam for connections: ordered byte streams and the listeners that accept them. No sockets in here, so
// that sessions run unchanged over Unix sockets, TCP, TLS and the simulated network.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice {

/// What a stream tells its owner. All calls come from the loop, never from inside a call into the stream.
class StreamEvents {
 public:
  virtual ~StreamEvents() = default;
  /// `bytes` lives for the length of this call.
  virtual void on_bytes(std::string_view bytes) = 0;
  /// The peer will send no more; writing is still possible.
  virtual void on_end() = 0;
  /// All that was written has been handed to the operating system.
  virtual void on_drained() = 0;
  /// Last call of a stream: it is gone, by close(), by the peer or by an error (`reason` then says which).
  virtual void on_closed(std::string_view reason) = 0;
};

/// One connection. Destroying it closes it at once and silently: no on_closed follows.
class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// Begins reading. `events` must outlive the stream or the on_closed call, whichever is first.
  virtual void start(StreamEvents& events) = 0;

  /// Queues bytes, in order, and sends what the peer takes. Never blocks. The queue is not bounded here: the
  /// owner watches unsent() and stops producing. On a closed stream the bytes are dropped.
  virtual void write(std::string_view bytes) = 0;

  /// Bytes queued that the operating system has not taken yet.
  [[nodiscard]] virtual std::size_t unsent() const = 0;

  /// Stops and resumes on_bytes, for back-pressure. A new stream reads.
  virtual void pause() = 0;
  virtual void resume() = 0;

  /// Sends what is queued, then closes. Reading stops at once. Bounded by the owner's own timer.
  virtual void finish() = 0;

  /// Closes now; queued bytes are dropped. on_closed follows from the loop.
  virtual void close() = 0;

  /// For people: "unix", "127.0.0.1:51234".
  [[nodiscard]] virtual std::string peer() const = 0;
};

class ListenerEvents {
 public:
  virtual ~ListenerEvents() = default;
  virtual void on_connection(std::unique_ptr<ByteStream> stream) = 0;
};

/// An open, listening socket. Destroying it stops listening and removes what it put in the file system.
class Listener {
 public:
  virtual ~Listener() = default;
  /// For people and for tests: the socket's path, or "127.0.0.1:41234" with the port really bound.
  [[nodiscard]] virtual std::string address() const = 0;
};

}  // namespace sluice
