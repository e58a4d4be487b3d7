// A byte stream within another one, encrypted. Inside net/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/liveness.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/stream.h"
#include "net/tls_session.h"

namespace sluice::net {

/// First handshake(), then a ByteStream like others. A peer that goes without saying goodbye is an error, not
/// an end: somebody may have cut off what it said last. unsent() counts encrypted bytes.
class TlsStream final : public ByteStream, private StreamEvents {
 public:
  /// `inner` is new: not started. `loop` must outlive the stream.
  TlsStream(Loop& loop, std::unique_ptr<ByteStream> inner, TlsSession session)
      : loop_(loop), inner_(std::move(inner)), session_(std::move(session)) {}
  ~TlsStream() override = default;
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  /// `done` is called once, from inside this call or from the loop, and may destroy or move the stream's
  /// owner. After an error the stream is of no more use. No deadline: who waits has the timer.
  void handshake(std::function<void(Result<void>)> done);

  void start(StreamEvents& events) override;
  void write(std::string_view bytes) override;
  [[nodiscard]] std::size_t unsent() const override { return inner_->unsent(); }
  void pause() override;
  void resume() override;
  void finish() override;
  void close() override { end("closed"); }
  [[nodiscard]] std::string peer() const override { return inner_->peer(); }

 private:
  enum class State : std::uint8_t {
    handshaking,
    open,
    finishing,  ///< `inner_` sends the rest
    closing,    ///< `inner_` was told to close
    closed,     ///< it has
  };

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_closed(std::string_view reason) override;

  void advance_handshake();
  /// `this` may be gone afterwards.
  void handshake_done(Result<void> result);
  /// Reports what can be decrypted. `this` may be gone afterwards.
  void deliver();
  void deliver_later();
  [[nodiscard]] bool delivers() const { return state_ == State::open && events_ != nullptr && !paused_; }
  /// What follows the bytes that have been decrypted.
  void nothing_left(TlsSession::Step why);
  void flush();
  void end(std::string reason);
  void report_closed();

  Loop& loop_;
  std::unique_ptr<ByteStream> inner_;
  TlsSession session_;
  State state_ = State::handshaking;
  std::function<void(Result<void>)> handshake_done_;
  StreamEvents* events_ = nullptr;
  bool paused_ = false;
  bool inner_ended_ = false;
  bool peer_ended_ = false;
  std::string end_reason_;
  Liveness liveness_;
};

}  // namespace sluice::net
