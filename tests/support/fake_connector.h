// Outgoing connections without sockets: the test is the network and the server.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/loop.h"
#include "base/stream.h"
#include "support/fake_stream.h"

namespace sluice::test {

/// One attempt is open at a time. Must outlive the streams that it made.
class FakeConnector final : public Connector {
 public:
  explicit FakeConnector(Loop& loop) : loop_(loop) {}

  [[nodiscard]] std::unique_ptr<ConnectAttempt> connect(const Endpoint& endpoint,
                                                        ConnectEvents& events) override {
    ++attempts_;
    endpoint_ = endpoint;
    events_ = &events;
    return std::make_unique<Attempt>(*this);
  }

  /// How many there have been.
  [[nodiscard]] std::size_t attempts() const { return attempts_; }
  /// One is under way.
  [[nodiscard]] bool trying() const { return events_ != nullptr; }
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

  /// Lets the attempt under way succeed; gives the new connection's wire.
  FakeWire& accept() {
    FakeWire& wire = wires_.emplace_back();
    std::exchange(events_, nullptr)->on_connected(std::make_unique<FakeStream>(loop_, wire));
    return wire;
  }
  void refuse(std::string_view reason) { std::exchange(events_, nullptr)->on_connect_failed(reason); }
  /// That of the last connection.
  [[nodiscard]] FakeWire& wire() { return wires_.back(); }

 private:
  class Attempt final : public ConnectAttempt {
   public:
    explicit Attempt(FakeConnector& owner) : owner_(owner), number_(owner.attempts_) {}
    ~Attempt() override {
      if (owner_.attempts_ == number_) owner_.events_ = nullptr;
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

   private:
    FakeConnector& owner_;
    std::size_t number_;
  };

  Loop& loop_;
  std::size_t attempts_ = 0;
  Endpoint endpoint_;
  ConnectEvents* events_ = nullptr;
  std::deque<FakeWire> wires_;
};

/// The peer sends `bytes` in one piece, as the loop would hand them on.
inline void say(FakeWire& wire, std::string_view bytes) {
  // A buffer of exactly that size, so that reading beyond it is noticed.
  const std::string exact(bytes);
  if (wire.events != nullptr) wire.events->on_bytes(exact);
}

/// What the peer has received since it last asked.
inline std::string heard(FakeWire& wire) {
  return std::exchange(wire.received, {});
}

}  // namespace sluice::test
