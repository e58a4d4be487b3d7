// The inside of a Connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/stream.h"
#include "base/time.h"
#include "store/redis/backoff.h"
#include "store/redis/connection.h"
#include "store/redis/handshake.h"
#include "store/redis/pipeline.h"
#include "store/redis/reply.h"
#include "store/redis/reply_reader.h"

namespace sluice::store::redis {

/// idle → connecting → introducing → ready, and from any of the last three → ended → waiting → connecting.
/// Between `ended` and `waiting` is at most the rest of a turn, in which nothing is reported.
class Connection::Impl final : private ConnectEvents, private StreamEvents {
 public:
  Impl(Loop& loop, Connector& connector, Random& random, ConnectionEvents& events, ConnectionOptions options);
  ~Impl() override;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start();
  bool send(std::span<const std::string_view> arguments, std::uint64_t tag);
  void drop(std::string_view reason);
  void redirect(std::string_view reason);

  [[nodiscard]] bool ready() const { return state_ == State::ready; }
  [[nodiscard]] std::size_t in_flight() const { return pipeline_.size(); }
  [[nodiscard]] const ConnectionCounters& counters() const { return counters_; }

 private:
  enum class State : std::uint8_t { idle, connecting, introducing, ready, ended, waiting };

  void on_connected(std::unique_ptr<ByteStream> stream) override;
  void on_connect_failed(std::string_view reason) override { fail(std::string(reason)); }
  void on_bytes(std::string_view bytes) override;
  void on_end() override { fail("the server closed the connection"); }
  void on_drained() override {}
  void on_closed(std::string_view reason) override;

  void connect();
  [[nodiscard]] Credentials credentials() const;
  void introduce(const Handshake::Step& step);
  void become_ready();
  void handle(const Reply& reply);
  [[nodiscard]] bool is_push(const Reply& reply) const;

  void write(std::string_view bytes);
  void flush_later();
  void arm_deadline();
  void expire();
  void report_lost(const std::vector<std::uint64_t>& tags);

  /// Ends the connection or the attempt, and tells the owner. `reason` must not be a part of what ends.
  void fail(const std::string& reason);
  /// Returns the state that it was in.
  State close();
  /// The owner is told at the end of the turn.
  void close_and_report(std::string_view reason);
  /// `rest`: at least so long before the next attempt.
  void report_end(State was, const std::string& reason, Duration rest);

  Loop& loop_;
  Connector& connector_;
  ConnectionEvents& events_;
  ConnectionOptions options_;
  ConnectionCounters counters_;
  Backoff backoff_;
  State state_ = State::idle;
  std::uint64_t epoch_ = 0;  ///< counts the connections that ended

  std::unique_ptr<ConnectAttempt> attempt_;
  std::unique_ptr<ByteStream> stream_;
  std::unique_ptr<ReplyReader> reader_;
  std::unique_ptr<Handshake> handshake_;
  Pipeline pipeline_;
  std::string out_;  ///< this turn's commands
  Instant ready_since_{};
  bool stalled_ = false;

  TimerId setup_timer_ = 0;
  TimerId deadline_timer_ = 0;
  TimerId stall_timer_ = 0;
  TimerId retry_timer_ = 0;
  Liveness liveness_;
};

}  // namespace sluice::store::redis
