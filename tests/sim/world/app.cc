#include "sim/world/app.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/stream.h"
#include "base/time.h"
#include "sim/check/limits.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/network/network.h"
#include "sim/world/books.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

/// There and back over the local socket, its slow tail included, and what timers are rounded up by.
constexpr Duration kAllowance = 8ms;
constexpr std::size_t kMostOutstanding = 64;
constexpr std::size_t kMostViolations = 8;

}  // namespace

App::App(const Surroundings& world, HostId host, const NodeClock& clock, Draw draw, std::string name)
    : world_(world), host_(host), clock_(clock), draw_(draw), name_(std::move(name)) {
  begin();
}

App::~App() {
  end();
}

void App::begin() {
  loop_ = std::make_unique<NodeLoop>(world_.timeline, clock_);
  connector_ = world_.network.connector(host_, *loop_);
  dial();
  for (std::size_t i = 0; i < world_.plan.traffic.size(); ++i) arm(i);
}

void App::end() {
  disconnected();
  stream_.reset();
  attempt_.reset();
  connector_.reset();
  loop_.reset();
}

void App::crash(Duration back_after) {
  end();
  world_.timeline.after(back_after, [this] {
    if (!loop_) begin();
  });
}

void App::load(Load load) {
  load_ = load;
}

void App::daemon_paused(Duration length) {
  daemon_back_ = std::max(daemon_back_, world_.timeline.now() + length);
  if (book_) book_->excused(length);
}

// --- its connection
// -----------------------------------------------------------------------------------------

void App::dial() {
  attempt_ = connector_->connect({.host = world_.network.name_of(host_), .port = kDaemonPort}, *this);
}

void App::on_connected(std::unique_ptr<ByteStream> stream) {
  attempt_.reset();
  stream_ = std::move(stream);
  stream_->start(*this);
  book_.emplace(world_.plan.max_wait, kAllowance);
  buffer_.clear();
  send({.kind = Question::Kind::hello});
}

void App::on_connect_failed(std::string_view /*reason*/) {
  loop_->start_timer(draw_.between(Duration(5ms), Duration(100ms)), [this] { dial(); });
}

void App::on_end() {
  disconnected();
  stream_.reset();
  loop_->start_timer(draw_.between(Duration(1ms), Duration(50ms)), [this] { dial(); });
}

void App::on_closed(std::string_view /*reason*/) {
  on_end();
}

void App::disconnected() {
  if (!book_) return;
  for (const Question& question : questions_) {
    if (question.kind != Question::Kind::check) continue;
    world_.states.reached(State::answer_lost);
    lost_tokens_ += question.cost * static_cast<std::int64_t>(question.keys.size());
  }
  questions_.clear();
  book_->closed(world_.timeline.now());
  for (const std::string& text : book_->texts()) wrong(text);
  book_.reset();
}

void App::finish() {
  if (!book_) return;
  book_->check(world_.timeline.now());
  for (const std::string& text : book_->texts()) wrong(text);
}

// --- asking
// -------------------------------------------------------------------------------------------------

/// Checks a second of this application.
double App::rate_of(const TrafficPlan& traffic) const {
  const auto apps = static_cast<double>(world_.plan.daemons * world_.plan.apps);
  const double rate = load_ == Load::saturating ? saturating_rate(world_.plan, traffic) : traffic.per_second;
  return rate / apps;
}

void App::arm(std::size_t traffic) {
  const TrafficPlan& plan = world_.plan.traffic[traffic];
  const auto mean = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(1 / rate_of(plan)));
  loop_->start_timer(draw_.exponential(mean), [this, traffic] {
    ask(world_.plan.traffic[traffic]);
    arm(traffic);
  });
}

void App::ask(const TrafficPlan& traffic) {
  if (load_ == Load::none || !stream_ || questions_.size() >= kMostOutstanding) return;
  Question question;
  const bool hot = draw_.chance(traffic.hot_share);
  for (const std::size_t rule : traffic.rules) {
    const auto keys = static_cast<std::uint64_t>(world_.plan.rules[rule].keys);
    const std::int64_t value = hot ? 0 : static_cast<std::int64_t>(draw_.below(keys));
    question.keys.push_back({.rule = rule, .value = value});
  }
  question.cost = draw_.between(std::int64_t{1}, traffic.max_cost);
  if (draw_.one_in(30)) question.kind = Question::Kind::peek;
  send(std::move(question));
  // Some send in bursts.
  if (draw_.one_in(40)) {
    for (std::uint64_t more = draw_.below(8); more > 0; --more) ask(traffic);
  }
}

void App::send(Question question) {
  std::vector<std::string> words;
  switch (question.kind) {
    case Question::Kind::hello:
      words = {"HELLO", "3"};
      break;
    case Question::Kind::check:
      words = {"CHECK"};
      break;
    case Question::Kind::peek:
      words = {"PEEK"};
      break;
    case Question::Kind::refund:
      words = {"REFUND"};
      break;
  }
  for (const KeyId key : question.keys)
    words.push_back(world_.plan.rules[key.rule].name + "=" + value_text(key));
  if (question.kind != Question::Kind::hello) {
    words.emplace_back("COST");
    words.push_back(std::to_string(question.cost));
  }
  std::string bytes;
  wire::resp::append_command(bytes, {words.begin(), words.end()});
  const SimTime now = world_.timeline.now();
  book_->sent(now, 0, fmt::format("{}", fmt::join(words, " ")),
              std::max(Duration::zero(), daemon_back_ - now));
  questions_.push_back(std::move(question));
  stream_->write(bytes);
}

// --- judging
// ------------------------------------------------------------------------------------------------

void App::on_bytes(std::string_view bytes) {
  buffer_ += bytes;
  std::size_t taken = 0;
  while (taken < buffer_.size()) {
    wire::resp::Value value;
    std::size_t consumed = 0;
    std::string error;
    const auto status =
        wire::resp::parse_reply(std::string_view(buffer_).substr(taken), {}, value, consumed, error);
    if (status == wire::resp::ParseStatus::malformed) {
      wrong("the daemon's answer is not RESP: " + error);
      buffer_.clear();
      return on_end();
    }
    if (status != wire::resp::ParseStatus::complete) break;
    taken += consumed;
    answered(value);
  }
  buffer_.erase(0, taken);
}

void App::answered(const wire::resp::Value& value) {
  ++answers_;
  const auto request = book_->answered(world_.timeline.now(), value.text);
  if (!request || questions_.empty()) return;
  const Question question = std::move(questions_.front());
  questions_.pop_front();
  judge(question, value);
}

void App::judge(const Question& question, const wire::resp::Value& value) {
  using Kind = wire::resp::Value::Kind;
  if (question.kind == Question::Kind::hello) return;
  if (value.kind != Kind::map)
    return wrong("answered by " + (value.kind == Kind::error ? value.text : "no map"));
  const auto number = [&value](std::string_view name) {
    const wire::resp::Value* field = value.find(name);
    return field == nullptr ? -100 : field->integer;
  };
  const bool allowed = number("allowed") == 1;
  const bool degraded = number("degraded") == 1;
  const std::int64_t retry = number("retry_after_ms");
  if (number("limit") < 0 || number("remaining") < 0 || number("reset_after_ms") < 0) {
    wrong(fmt::format("limit {}, remaining {}, reset after {} ms", number("limit"), number("remaining"),
                      number("reset_after_ms")));
  }
  if (allowed != (retry == 0)) wrong(fmt::format("allowed {} with retry after {} ms", allowed, retry));
  if (degraded) world_.states.reached(State::degraded_answer);
  if (question.kind == Question::Kind::refund) return;
  if (!allowed && retry < 0) world_.states.reached(State::denied_never);
  if (question.kind != Question::Kind::check) return;
  if (!allowed && question.keys.size() > 1) world_.states.reached(State::layered_denial);
  for (const KeyId key : question.keys) {
    world_.books.asked(key, question.cost);
    if (!allowed) continue;
    // What a policy lets through while the store is away is its own promise, which only "deny" does not
    // relax.
    if (degraded && world_.plan.rules[key.rule].on_failure != OnFailure::deny)
      world_.books.excuse(key, question.cost);
    world_.books.admitted(key, question.cost);
    // Of a layered check it is not said which of its limits a policy has answered for.
    if (!degraded && question.keys.size() == 1) world_.books.spent(host_, key, question.cost);
  }
  if (allowed) refund_later(question);
}

void App::refund_later(const Question& question) {
  for (const TrafficPlan& traffic : world_.plan.traffic) {
    if (traffic.rules.front() != question.keys.front().rule || traffic.rules.size() != question.keys.size())
      continue;
    if (load_ != Load::as_planned || !draw_.chance(traffic.refund_share)) return;
    loop_->start_timer(draw_.exponential(300ms), [this, question] {
      if (!stream_ || questions_.size() >= kMostOutstanding) return;
      world_.states.reached(State::refunded);
      Question refund = question;
      refund.kind = Question::Kind::refund;
      send(std::move(refund));
    });
    return;
  }
}

void App::wrong(std::string_view what) {
  if (violations_.size() < kMostViolations) violations_.push_back(fmt::format("{}: {}", name_, what));
}

}  // namespace sluice::sim
