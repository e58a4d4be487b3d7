// A connection without a socket: the test is the client.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/stream.h"

namespace sluice::test {

/// What the test sees of a stream and does to it; outlives the stream.
struct FakeWire {
  StreamEvents* events = nullptr;          ///< null before start and after the stream is gone
  std::string received;                    ///< what the client has taken
  std::string queued;                      ///< written by the server, not taken
  std::size_t window = std::string::npos;  ///< bytes the client is ready to take
  std::size_t writes = 0;
  bool paused = false;
  bool finishing = false;
  bool closed = false;

  /// The client takes what its window allows.
  void take() {
    const std::size_t count = std::min(window, queued.size());
    if (window != std::string::npos) window -= count;
    received += queued.substr(0, count);
    queued.erase(0, count);
  }
};

class FakeStream final : public ByteStream {
 public:
  FakeStream(Loop& loop, FakeWire& wire) : loop_(loop), wire_(wire) {}
  ~FakeStream() override {
    wire_.events = nullptr;
    wire_.closed = true;
  }
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;

  void start(StreamEvents& events) override { wire_.events = &events; }
  void write(std::string_view bytes) override {
    if (wire_.closed) return;
    ++wire_.writes;
    wire_.queued += bytes;
    wire_.take();
  }
  [[nodiscard]] std::size_t unsent() const override { return wire_.queued.size(); }
  void pause() override { wire_.paused = true; }
  void resume() override { wire_.paused = false; }
  void finish() override {
    wire_.finishing = true;
    if (wire_.queued.empty()) close();
  }
  void close() override {
    if (wire_.closed) return;
    wire_.closed = true;
    wire_.queued.clear();
    loop_.defer([&wire = wire_] {
      if (wire.events != nullptr) wire.events->on_closed("");
    });
  }
  [[nodiscard]] std::string peer() const override { return "fake"; }

 private:
  Loop& loop_;
  FakeWire& wire_;
};

/// The client reads `bytes` more (all, by default).
inline void drain(FakeWire& wire, std::size_t bytes = std::string::npos) {
  wire.window = bytes;
  wire.take();
  if (wire.queued.empty() && wire.events != nullptr && !wire.closed) wire.events->on_drained();
}

}  // namespace sluice::test
