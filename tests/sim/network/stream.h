// The byte stream at one end of a simulated connection, inside network/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/liveness.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/core/node_loop.h"
#include "sim/network/connection.h"

namespace sluice::sim {

/// Behaves as net/uv_stream.cc does on what its kernel, the End, shows it.
class SimStream final : public ByteStream {
 public:
  /// `loop` must outlive all use of the stream but its destruction.
  SimStream(std::shared_ptr<Connection> connection, std::size_t side, NodeLoop& loop);
  ~SimStream() override;
  SimStream(const SimStream&) = delete;
  SimStream& operator=(const SimStream&) = delete;

  void start(StreamEvents& events) override;
  void write(std::string_view bytes) override;
  [[nodiscard]] std::size_t unsent() const override { return queued_.size(); }
  void pause() override { paused_ = true; }
  void resume() override;
  void finish() override;
  void close() override { end("closed"); }
  [[nodiscard]] std::string peer() const override;

  // The network's: there may be something to read, room to write, or an error. What that leads to comes in a
  // later turn.
  void readable();
  void writable(Duration after);

 private:
  enum class State { open, finishing, closed };

  [[nodiscard]] End& kernel() const { return connection_->ends[side_]; }
  [[nodiscard]] bool reading() const;
  void read();
  void send_queued();
  [[nodiscard]] std::size_t send(std::string_view bytes);
  void close_finished();
  void end(std::string reason);
  void report_end();

  std::shared_ptr<Connection> connection_;
  std::size_t side_;
  NodeLoop& loop_;
  StreamEvents* events_ = nullptr;
  State state_ = State::open;
  bool paused_ = false;
  bool peer_ended_ = false;
  bool read_posted_ = false;
  bool write_posted_ = false;
  std::string queued_;  ///< that the kernel has not taken
  std::string end_reason_;
  Liveness liveness_;
};

}  // namespace sluice::sim
