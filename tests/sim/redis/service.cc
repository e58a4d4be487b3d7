#include "sim/redis/service.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stream.h"
#include "base/time.h"
#include "sim/core/node_loop.h"
#include "sim/network/network.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/request.h"
#include "sim/redis/value.h"

namespace sluice::sim {

Session::Session(std::unique_ptr<ByteStream> stream, NodeLoop& loop, ServiceEvents& events, Client client)
    : stream_(std::move(stream)), loop_(loop), events_(events), client_(std::move(client)) {}

void Session::on_bytes(std::string_view bytes) {
  in_ += bytes;
  read();
}

void Session::read() {
  while (!finishing_ && !gone_ && !client_.wait && read_one()) {
  }
  flush();
  if (finishing_) finish();
}

bool Session::read_one() {
  const Request request = parse_request(in_);
  if (request.status == Request::Status::incomplete) return false;
  if (request.status == Request::Status::malformed) {
    answer(Value::error(request.error));
    finishing_ = true;
    return false;
  }
  in_.erase(0, request.consumed);
  if (request.words.empty()) return true;
  const std::vector<std::string_view> words(request.words.begin(), request.words.end());
  const Value value = events_.on_request(*this, words);
  for (const Value& earlier : std::exchange(client_.more, {})) answer(earlier);
  if (!client_.wait) answer(value);
  finishing_ = finishing_ || client_.closing;
  return true;
}

void Session::resume(const Value& value) {
  client_.wait.reset();
  answer(value);
  finishing_ = finishing_ || client_.closing;
  read();
}

void Session::push(const Value& message) {
  answer(message);
  flush();
}

void Session::kill() {
  finishing_ = true;
  stream_->close();
}

void Session::answer(const Value& value) {
  append(out_, value, client_.version);
}

void Session::flush() {
  if (out_.empty()) return;
  const Duration delay = events_.delay();
  const std::string bytes = std::exchange(out_, {});
  if (delay == Duration::zero() && held_back_ == 0) return stream_->write(bytes);
  const Instant now = loop_.clock().now();
  sent_at_ = std::max(sent_at_, now + delay);
  ++held_back_;
  loop_.start_timer(sent_at_ - now, [this, bytes, watch = liveness_.watch()] {
    if (!watch) return;
    --held_back_;
    if (!gone_) stream_->write(bytes);
    if (finishing_) finish();
  });
}

void Session::finish() {
  if (held_back_ == 0 && !gone_) stream_->finish();
}

void Session::on_closed(std::string_view /*reason*/) {
  gone_ = true;
  events_.on_gone(*this);
}

Service::Service(Network& network, HostId host, std::uint16_t port, NodeLoop& loop, ServiceEvents& events)
    : network_(network), loop_(loop), events_(events), listener_(network.listen(host, port, loop, *this)) {}

Service::~Service() = default;

std::vector<Session*> Service::sessions() const {
  std::vector<Session*> all;
  for (const auto& session : sessions_)
    if (!session->gone()) all.push_back(session.get());
  return all;
}

void Service::on_connection(std::unique_ptr<ByteStream> stream) {
  Client client{.id = next_id_++, .from = host_of(stream->peer())};
  sessions_.push_back(std::make_unique<Session>(std::move(stream), loop_, static_cast<ServiceEvents&>(*this),
                                                std::move(client)));
  sessions_.back()->start();
}

Value Service::on_request(Session& session, Words words) {
  return events_.on_request(session, words);
}

void Service::on_gone(Session& session) {
  events_.on_gone(session);
  // Not from inside its own call.
  loop_.defer([this, watch = liveness_.watch()] {
    if (watch) std::erase_if(sessions_, [](const auto& one) { return one->gone(); });
  });
}

/// Hosts are numbered in order, and there is one of that name.
HostId Service::host_of(std::string_view peer) const {
  const std::string_view name = peer.substr(0, peer.rfind(':'));
  HostId host = 0;
  while (network_.name_of(host) != name) ++host;
  return host;
}

}  // namespace sluice::sim
