#include "daemon/webhook.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/stream.h"
#include "base/time.h"
#include "base/version.h"
#include "observe/event_json.h"
#include "observe/events.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_parser.h"

namespace sluice::daemon {
namespace {

using wire::http1::ResponseParser;
using wire::http1::ResponseStatus;

constexpr Duration kMinute = std::chrono::minutes{1};
constexpr Duration kFirstPause = std::chrono::seconds{1};
constexpr Duration kLastPause = std::chrono::seconds{8};

/// Nobody reads what a receiver says beside its status.
constexpr wire::http1::HttpBounds kAnswer{
    .max_header_bytes = 16UL * 1024, .max_headers = 100, .max_body_bytes = 16UL * 1024};

bool is_success(int status) {
  return status >= 200 && status < 300;
}

/// What another try may mend.
bool may_pass(int status) {
  constexpr int kRequestTimeout = 408;
  constexpr int kTooManyRequests = 429;
  return status == kRequestTimeout || status == kTooManyRequests || status >= 500;
}

}  // namespace

Webhook::Webhook(Loop& loop, Connector& connector, Random& random, WebhookOptions options)
    : loop_(loop),
      connector_(&connector),
      options_(std::move(options)),
      backoff_(random, kFirstPause, kLastPause) {
  SLUICE_ASSERT(options_.max_per_minute > 0 && options_.timeout > Duration::zero());
}

Webhook::~Webhook() {
  close();
}

void Webhook::use(Connector& connector, WebhookOptions options) {
  SLUICE_ASSERT(options.max_per_minute > 0 && options.timeout > Duration::zero());
  close();
  connector_ = &connector;
  options_ = std::move(options);
  tries_ = 0;
  backoff_.reset();
  if (!on()) {
    counters_.dropped += queue_.size();
    unreported_ = 0;
    queue_.clear();
  }
  begin();
}

void Webhook::on_event(const observe::Event& event) {
  if (!on() || event.kind == kOwnKind) return;
  if (queue_.size() >= kQueue) {
    ++counters_.dropped;
    ++unreported_;
    return;
  }
  queue_.push_back(observe::event_json(event));
  begin();
}

void Webhook::begin() {
  if (state_ != State::idle || queue_.empty()) return;
  const Duration wait = until_allowed();
  if (wait > Duration::zero()) return wait_for(wait);
  start_try();
}

/// Zero if a try now is within max_per_minute.
Duration Webhook::until_allowed() {
  const Instant now = loop_.clock().now();
  while (!tried_at_.empty() && now - tried_at_.front() >= kMinute) tried_at_.pop_front();
  if (tried_at_.size() < options_.max_per_minute) return Duration::zero();
  // With a bound that has just been lowered there may be more than it: the first to leave room counts.
  return tried_at_[tried_at_.size() - options_.max_per_minute] + kMinute - now;
}

void Webhook::wait_for(Duration duration) {
  state_ = State::waiting;
  timer_ = loop_.start_timer(duration, [this] {
    state_ = State::idle;
    begin();
  });
}

void Webhook::start_try() {
  state_ = State::trying;
  ++tries_;
  tried_at_.push_back(loop_.clock().now());
  parser_ = std::make_unique<ResponseParser>(kAnswer);
  received_.clear();
  timer_ = loop_.start_timer(options_.timeout, [this] {
    end_without_answer(fmt::format("no answer within {}", format_duration(options_.timeout)));
  });
  attempt_ = connector_->connect(options_.url.endpoint, *this);
}

void Webhook::on_connected(std::unique_ptr<ByteStream> stream) {
  attempt_.reset();
  stream_ = std::move(stream);
  stream_->start(*this);
  told_ = unreported_;
  stream_->write(request());
}

std::string Webhook::request() const {
  const std::string body =
      fmt::format(R"({{"source":"sluice","event":{},"dropped":{}}})", queue_.front(), told_);
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: sluice/{}\r\nContent-Type: application/json\r\n"
      "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
      options_.url.target, options_.url.host, version(), body.size(), body);
}

void Webhook::on_connect_failed(std::string_view reason) {
  try_again(std::string(reason));
}

void Webhook::on_bytes(std::string_view bytes) {
  received_ += bytes;
  read(parser_->parse(received_, response_));
}

void Webhook::on_end() {
  read(parser_->end(received_, response_));
}

void Webhook::on_closed(std::string_view reason) {
  if (received_.empty() && !reason.empty()) return try_again(std::string(reason));
  read(parser_->end(received_, response_));
}

void Webhook::read(ResponseStatus status) {
  if (status == ResponseStatus::complete) return judge(response_.status);
  if (status == ResponseStatus::malformed) end_without_answer(std::string(parser_->message()));
}

/// A status that has arrived is the answer, whatever became of the body.
void Webhook::end_without_answer(const std::string& reason) {
  const int status = parser_->status();
  if (status != 0) return judge(status);
  try_again(reason);
}

void Webhook::judge(int status) {
  if (is_success(status)) return succeed();
  const std::string reason = fmt::format("the answer was {}", status);
  if (may_pass(status)) return try_again(reason);
  give_up(reason);
}

void Webhook::succeed() {
  ++counters_.ok;
  unreported_ -= told_;
  next_event();
}

void Webhook::try_again(const std::string& reason) {
  if (tries_ >= kTries) return give_up(reason);
  close();
  wait_for(backoff_.next());
}

void Webhook::give_up(const std::string& reason) {
  ++counters_.failed;
  ++unreported_;
  next_event();
  if (options_.failed) options_.failed(reason);
}

void Webhook::next_event() {
  close();
  queue_.pop_front();
  tries_ = 0;
  backoff_.reset();
  begin();
}

void Webhook::close() {
  state_ = State::idle;
  loop_.stop_timer(std::exchange(timer_, 0));
  attempt_.reset();
  stream_.reset();
  parser_.reset();
}

}  // namespace sluice::daemon
