#include "net/tls_stream.h"

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/liveness.h"
#include "base/result.h"
#include "base/stream.h"
#include "net/tls_session.h"

namespace sluice::net {
namespace {

/// What one record can hold.
constexpr std::size_t kRecordBytes = std::size_t{16} * 1024;

}  // namespace

void TlsStream::handshake(std::function<void(Result<void>)> done) {
  handshake_done_ = std::move(done);
  inner_->start(*this);
  advance_handshake();
}

void TlsStream::advance_handshake() {
  const TlsSession::Step step = session_.handshake();
  flush();
  if (step == TlsSession::Step::hungry) return;
  if (step == TlsSession::Step::failed) return handshake_done(sluice::failure(session_.failure()));
  state_ = State::open;
  inner_->pause();  // nobody is there yet to read it
  handshake_done({});
}

void TlsStream::handshake_done(Result<void> result) {
  if (!result) state_ = State::closed;
  const auto done = std::exchange(handshake_done_, nullptr);
  done(std::move(result));
}

void TlsStream::start(StreamEvents& events) {
  SLUICE_ASSERT(events_ == nullptr && state_ != State::handshaking);
  events_ = &events;
  if (state_ == State::closed) {
    loop_.defer([this, watch = liveness_.watch()] {
      if (watch) report_closed();
    });
  } else if (state_ == State::open && !paused_) {
    resume();
  }
}

void TlsStream::write(std::string_view bytes) {
  if (state_ != State::open || bytes.empty()) return;
  const TlsSession::Step step = session_.write(bytes);
  flush();
  if (step == TlsSession::Step::failed) end(session_.failure());
}

void TlsStream::pause() {
  paused_ = true;
  inner_->pause();
}

void TlsStream::resume() {
  paused_ = false;
  if (events_ == nullptr) return;
  inner_->resume();
  deliver_later();  // what has come and was not wanted then
}

void TlsStream::finish() {
  if (state_ != State::open) return;
  state_ = State::finishing;
  session_.say_goodbye();
  flush();
  inner_->finish();
}

void TlsStream::on_bytes(std::string_view bytes) {
  if (state_ != State::handshaking && state_ != State::open) return;
  if (peer_ended_) return;  // it broke its word
  session_.feed(bytes);
  if (state_ == State::handshaking) return advance_handshake();
  deliver();
}

void TlsStream::deliver_later() {
  loop_.defer([this, watch = liveness_.watch()] {
    if (watch) deliver();
  });
}

void TlsStream::deliver() {
  const auto watch = liveness_.watch();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): written before it is read
  std::array<char, kRecordBytes> plain;
  while (watch && delivers() && !peer_ended_) {
    const TlsSession::Read read = session_.read(plain);
    flush();  // what TLS itself has to answer
    if (read.step != TlsSession::Step::done) return nothing_left(read.step);
    events_->on_bytes({plain.data(), read.size});
  }
}

void TlsStream::nothing_left(TlsSession::Step why) {
  if (why == TlsSession::Step::failed) return end(session_.failure());
  if (why == TlsSession::Step::ended) {
    peer_ended_ = true;
    events_->on_end();
  } else if (inner_ended_) {
    end(session_.peer().endpoint + " ended the connection without TLS' goodbye");
  }
}

void TlsStream::on_end() {
  inner_ended_ = true;
  if (state_ == State::handshaking) {
    return handshake_done(
        sluice::failure(session_.peer().endpoint + " closed the connection during the TLS handshake"));
  }
  deliver();
}

void TlsStream::on_drained() {
  if (state_ == State::open && events_ != nullptr) events_->on_drained();
}

void TlsStream::on_closed(std::string_view reason) {
  const std::string why(reason);
  if (state_ == State::handshaking) {
    return handshake_done(sluice::failure(session_.peer().endpoint + ": TLS handshake: " + why));
  }
  if (state_ != State::closing) end_reason_ = why;
  state_ = State::closed;
  if (events_ != nullptr) report_closed();
}

void TlsStream::report_closed() {
  // The owner may destroy the stream in the call, and the reason must last through it.
  const std::string reason = std::move(end_reason_);
  events_->on_closed(reason);
}

void TlsStream::flush() {
  const std::string bytes = session_.take_output();
  if (!bytes.empty()) inner_->write(bytes);
}

void TlsStream::end(std::string reason) {
  if (state_ == State::closing || state_ == State::closed) return;
  state_ = State::closing;
  end_reason_ = std::move(reason);
  inner_->close();
}

}  // namespace sluice::net
