#include "store/redis/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/stream.h"
#include "base/time.h"
#include "store/redis/backoff.h"
#include "store/redis/command.h"
#include "store/redis/connection_impl.h"
#include "store/redis/handshake.h"
#include "store/redis/pipeline.h"
#include "store/redis/reply.h"
#include "store/redis/reply_reader.h"

namespace sluice::store::redis {
namespace {

/// After the server refused our credentials: it counts such attempts, and may lock us out.
constexpr Duration kRefusedRest = std::chrono::seconds{5};
/// A server that has been silent for so many command timeouts after the first that ran out is given up.
constexpr int kStallTimeouts = 4;

}  // namespace

Connection::Impl::Impl(Loop& loop, Connector& connector, Random& random, ConnectionEvents& events,
                       ConnectionOptions options)
    : loop_(loop),
      connector_(connector),
      events_(events),
      options_(std::move(options)),
      backoff_(random, options_.backoff_first, options_.backoff_last) {}

Connection::Impl::~Impl() {
  close();
  loop_.stop_timer(retry_timer_);
}

void Connection::Impl::start() {
  SLUICE_ASSERT(state_ == State::idle);
  connect();
}

void Connection::Impl::connect() {
  state_ = State::connecting;
  setup_timer_ = loop_.start_timer(options_.connect_timeout, [this] {
    fail(fmt::format("{} within {}", state_ == State::connecting ? "no connection" : "no answer to HELLO",
                     format_duration(options_.connect_timeout)));
  });
  const auto endpoint = options_.where ? options_.where() : options_.endpoint;
  if (endpoint) {
    attempt_ = connector_.connect(*endpoint, *this);
  } else {
    close_and_report("no master is known yet");
  }
}

Credentials Connection::Impl::credentials() const {
  Credentials credentials = options_.credentials
                                ? options_.credentials()
                                : Credentials{.username = options_.username, .password = options_.password};
  credentials.client_name = options_.client_name;
  return credentials;
}

void Connection::Impl::on_connected(std::unique_ptr<ByteStream> stream) {
  attempt_.reset();
  stream_ = std::move(stream);
  reader_ = std::make_unique<ReplyReader>(
      ReplyLimits{.max_bytes = options_.max_reply_bytes, .max_elements = options_.max_reply_elements});
  handshake_ = std::make_unique<Handshake>(
      credentials(), options_.verify_master ? Handshake::Role::master : Handshake::Role::any);
  state_ = State::introducing;
  stream_->start(*this);
  introduce(handshake_->begin());
}

void Connection::Impl::introduce(const Handshake::Step& step) {
  switch (step.state) {
    case Handshake::State::waiting:
      return write(step.send);
    case Handshake::State::done:
      return become_ready();
    case Handshake::State::failed:
      return fail(step.reason);
    case Handshake::State::refused:
      return report_end(close(), step.reason, kRefusedRest);
  }
}

void Connection::Impl::become_ready() {
  loop_.stop_timer(setup_timer_);
  handshake_.reset();
  state_ = State::ready;
  ready_since_ = loop_.clock().now();
  ++counters_.connects;
  events_.on_ready();
}

void Connection::Impl::on_bytes(std::string_view bytes) {
  stalled_ = false;
  loop_.stop_timer(stall_timer_);
  reader_->feed(bytes);
  const auto watch = liveness_.watch();
  const std::uint64_t epoch = epoch_;
  while (watch && epoch == epoch_) {  // each reply may be the end of this connection, or of this object
    const auto next = reader_->next();
    if (!next) return fail(fmt::format("protocol error: {}", next.error().message));
    const std::optional<Reply>& reply = *next;
    if (!reply) return;
    handle(*reply);
  }
}

void Connection::Impl::handle(const Reply& reply) {
  if (state_ == State::introducing) return introduce(handshake_->on_reply(reply));
  if (is_push(reply)) return events_.on_push(reply);
  const auto answered = pipeline_.answered();
  if (!answered) return fail("protocol error: a reply that nobody asked for");
  const Instant sent = answered->deadline - options_.command_timeout;
  counters_.latency.record(loop_.clock().now() - sent);
  if (answered->tag) events_.on_reply(*answered->tag, reply);
}

bool Connection::Impl::is_push(const Reply& reply) const {
  if (!options_.pushes || reply.kind != Reply::Kind::array) return false;
  // A message may come while a command waits for its answer, which is an array too: ["subscribe", …].
  return pipeline_.size() == 0 || (!reply.items.empty() && reply.items.front().text == "message");
}

void Connection::Impl::on_closed(std::string_view reason) {
  fail(reason.empty() ? "the connection broke" : std::string(reason));
}

bool Connection::Impl::send(std::span<const std::string_view> arguments, std::uint64_t tag) {
  if (state_ != State::ready || stalled_ || pipeline_.size() >= options_.max_in_flight) {
    ++counters_.refused;
    return false;
  }
  if (out_.empty()) flush_later();
  append_command(out_, arguments);
  pipeline_.sent(tag, loop_.clock().now() + options_.command_timeout);
  ++counters_.commands;
  if (deadline_timer_ == 0) arm_deadline();
  return true;
}

void Connection::Impl::flush_later() {
  loop_.defer([this, watch = liveness_.watch(), epoch = epoch_] {
    if (!watch || epoch != epoch_) return;
    write(out_);
    out_.clear();
  });
}

void Connection::Impl::write(std::string_view bytes) {
  if (bytes.empty()) return;
  ++counters_.writes;
  counters_.bytes_sent += bytes.size();
  stream_->write(bytes);
}

void Connection::Impl::arm_deadline() {
  const auto deadline = pipeline_.next_deadline();
  if (!deadline) return;
  const Duration left = std::max(Duration::zero(), *deadline - loop_.clock().now());
  deadline_timer_ = loop_.start_timer(left, [this] { expire(); });
}

void Connection::Impl::expire() {
  deadline_timer_ = 0;
  const auto tags = pipeline_.expire(loop_.clock().now());
  arm_deadline();
  if (tags.empty()) return;  // the command that the timer was set for has been answered
  counters_.timeouts += tags.size();
  if (!stalled_) {
    stalled_ = true;
    const Duration patience = kStallTimeouts * options_.command_timeout;
    stall_timer_ = loop_.start_timer(patience, [this, patience] {
      fail(fmt::format("a command timed out, and then nothing came for {}", format_duration(patience)));
    });
  }
  report_lost(tags);
}

void Connection::Impl::report_lost(const std::vector<std::uint64_t>& tags) {
  const auto watch = liveness_.watch();
  for (const std::uint64_t tag : tags) {
    events_.on_lost_reply(tag);
    if (!watch) return;
  }
}

void Connection::Impl::fail(const std::string& reason) {
  const State was = close();
  if (was == State::ready) backoff_.reset();
  report_end(was, reason, Duration::zero());
}

void Connection::Impl::drop(std::string_view reason) {
  if (state_ != State::connecting && state_ != State::introducing && state_ != State::ready) return;
  // An owner that drops what has just become ready (it is a replica, say) would else come back at once, for
  // ever.
  const bool lasted = loop_.clock().now() - ready_since_ >= options_.backoff_last;
  if (state_ == State::ready && lasted) backoff_.reset();
  close_and_report(reason);
}

void Connection::Impl::redirect(std::string_view reason) {
  if (state_ == State::idle) return;
  backoff_.reset();
  if (state_ == State::waiting) {
    loop_.stop_timer(retry_timer_);
    retry_timer_ = loop_.start_timer(backoff_.next(), [this] { connect(); });
  } else if (state_ != State::ended) {
    close_and_report(reason);
  }
}

void Connection::Impl::close_and_report(std::string_view reason) {
  std::string text(reason);  // which may be a part of what ends
  const State was = close();
  loop_.defer([this, was, text = std::move(text), watch = liveness_.watch()] {
    // Nothing comes in between: a connection that has ended is silent until this starts the next attempt.
    if (watch) report_end(was, text, Duration::zero());
  });
}

Connection::Impl::State Connection::Impl::close() {
  ++epoch_;
  attempt_.reset();
  stream_.reset();
  reader_.reset();
  handshake_.reset();
  out_.clear();
  stalled_ = false;
  for (TimerId* timer : {&setup_timer_, &deadline_timer_, &stall_timer_})
    loop_.stop_timer(std::exchange(*timer, 0));
  return std::exchange(state_, State::ended);
}

void Connection::Impl::report_end(State was, const std::string& reason, Duration rest) {
  const auto lost = pipeline_.abandon();
  state_ = State::waiting;
  const Duration wait = std::max(rest, backoff_.next());
  retry_timer_ = loop_.start_timer(wait, [this] { connect(); });
  const auto watch = liveness_.watch();
  report_lost(lost);
  if (!watch) return;
  if (was == State::ready) {
    events_.on_down(reason);
  } else {
    ++counters_.failures;
    events_.on_attempt_failed(reason);
  }
}

Connection::Connection(Loop& loop, Connector& connector, Random& random, ConnectionEvents& events,
                       ConnectionOptions options)
    : impl_(std::make_unique<Impl>(loop, connector, random, events, std::move(options))) {}
Connection::~Connection() = default;

void Connection::start() {
  impl_->start();
}
bool Connection::send(std::span<const std::string_view> arguments, std::uint64_t tag) {
  return impl_->send(arguments, tag);
}
void Connection::drop(std::string_view reason) {
  impl_->drop(reason);
}
void Connection::redirect(std::string_view reason) {
  impl_->redirect(reason);
}
bool Connection::ready() const {
  return impl_->ready();
}
std::size_t Connection::in_flight() const {
  return impl_->in_flight();
}
const ConnectionCounters& Connection::counters() const {
  return impl_->counters();
}

}  // namespace sluice::store::redis
