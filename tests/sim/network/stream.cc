#include "sim/network/stream.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/core/node_loop.h"
#include "sim/network/connection.h"
#include "sim/network/impl.h"
#include "sim/network/network.h"

namespace sluice::sim {
namespace {

/// The real loop's read buffer.
constexpr std::size_t kMostPerRead = std::size_t{64} * 1024;

}  // namespace

SimStream::SimStream(std::shared_ptr<Connection> connection, std::size_t side, NodeLoop& loop)
    : connection_(std::move(connection)), side_(side), loop_(loop) {
  kernel().stream = this;
}

SimStream::~SimStream() {
  kernel().stream = nullptr;
  if (connection_->network != nullptr) connection_->network->close(connection_, side_);
}

void SimStream::start(StreamEvents& events) {
  SLUICE_ASSERT(events_ == nullptr);
  events_ = &events;
  if (state_ == State::closed) {
    report_end();
  } else {
    readable();
  }
}

std::string SimStream::peer() const {
  const End& there = connection_->ends[other(side_)];
  return fmt::format("{}:{}", connection_->network->hosts[there.host].name, there.port);
}

bool SimStream::reading() const {
  return events_ != nullptr && state_ == State::open && !paused_ && !peer_ended_;
}

void SimStream::resume() {
  paused_ = false;
  readable();
}

void SimStream::readable() {
  const End& end = kernel();
  const bool something = !end.received.empty() || end.ended || !end.error.empty();
  if (read_posted_ || !something || !reading()) return;
  read_posted_ = true;
  loop_.post(loop_.timeline().now(), [this, watch = liveness_.watch()] {
    if (watch) read();
  });
}

void SimStream::read() {
  read_posted_ = false;
  if (!reading()) return;  // no longer
  End& kernel = this->kernel();
  if (!kernel.received.empty()) {
    const auto size = static_cast<std::ptrdiff_t>(std::min(kernel.received.size(), kMostPerRead));
    // Of the exact size, and on the heap, so that sanitizers see who reads on.
    const std::vector<char> bytes(kernel.received.begin(), kernel.received.begin() + size);
    kernel.received.erase(0, bytes.size());
    const std::string_view view(bytes.data(), bytes.size());
    connection_->network->took(*connection_, side_, view);
    readable();  // for what is left; now, because the owner may destroy this in the call
    events_->on_bytes(view);
  } else if (kernel.ended) {
    peer_ended_ = true;
    events_->on_end();
  } else if (!kernel.error.empty()) {
    end("read: " + kernel.error);
  }
}

void SimStream::write(std::string_view bytes) {
  if (state_ != State::open || bytes.empty()) return;
  if (queued_.empty()) {
    if (!kernel().error.empty()) return end("write: " + kernel().error);
    if (!kernel().open) return;  // without power
    bytes.remove_prefix(send(bytes));
  }
  queued_.append(bytes);
}

std::size_t SimStream::send(std::string_view bytes) {
  Network::Impl& network = *connection_->network;
  const std::size_t under_way = connection_->pipes[side_].under_way;
  const std::size_t room = network.options.send_buffer - std::min(network.options.send_buffer, under_way);
  const std::size_t taken = std::min(bytes.size(), room);
  if (taken > 0) network.send(connection_, side_, bytes.substr(0, taken));
  return taken;
}

void SimStream::writable(Duration after) {
  if (write_posted_ || queued_.empty()) return;
  write_posted_ = true;
  loop_.post(loop_.timeline().now() + after, [this, watch = liveness_.watch()] {
    if (watch) send_queued();
  });
}

void SimStream::send_queued() {
  write_posted_ = false;
  if (state_ == State::closed) return;
  if (!kernel().error.empty()) return end("write: " + kernel().error);
  if (!kernel().open) return;
  queued_.erase(0, send(queued_));
  if (!queued_.empty()) return;
  if (state_ == State::finishing) {
    close_finished();
  } else if (events_ != nullptr) {
    events_->on_drained();
  }
}

void SimStream::finish() {
  if (state_ != State::open) return;
  state_ = State::finishing;
  if (queued_.empty()) close_finished();
}

void SimStream::close_finished() {
  kernel().received.clear();  // as the real one does, so that no reset takes our last words from the peer
  end("finished");
}

void SimStream::end(std::string reason) {
  if (state_ == State::closed) return;
  state_ = State::closed;
  queued_ = {};
  connection_->network->close(connection_, side_);
  end_reason_ = std::move(reason);
  if (events_ != nullptr) report_end();
}

void SimStream::report_end() {
  loop_.defer([this, watch = liveness_.watch()] {
    if (!watch) return;
    // The owner may destroy the stream in the call, and the reason must last through it.
    const std::string reason = std::move(end_reason_);
    events_->on_closed(reason);
  });
}

}  // namespace sluice::sim
