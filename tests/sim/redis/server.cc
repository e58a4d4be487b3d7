#include "sim/redis/server.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/connector.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/redis/fresh_id.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/observer.h"
#include "sim/redis/server_impl.h"
#include "sim/redis/service.h"
#include "sim/redis/slots.h"

namespace sluice::sim {

RedisServer::Impl::Impl(RedisServer& self, Network& network, HostId host, Timeline& timeline,
                        const NodeClock& clock, Trace& trace, Draw draw, RedisObserver& observer,
                        const RedisOptions& options)
    : self_(self),
      network_(network),
      host_(host),
      timeline_(timeline),
      clock_(clock),
      trace_(trace),
      draw_(draw),
      observer_(observer),
      options_(options),
      engine_(*this, {.password = options.password,
                      .knows_resp3 = options.knows_resp3,
                      .allows_time = options.allows_time}),
      disk_(options.persistence),
      id_(fresh_id(draw_)),
      origin_(host) {
  disk_.set_origin(host);
}

RedisServer::Impl::~Impl() {
  leave_master();
  for (Impl* follower : followers_) {
    follower->lose_link();
    follower->master_ = nullptr;
  }
}

void RedisServer::Impl::start() {
  SLUICE_ASSERT(!running());
  const Disk::Image& image = disk_.image();
  engine_.set_data(image.data);
  begin_stream(image.offset);
  id_ = fresh_id(draw_);
  previous_id_.clear();
  const HostId before = image.offset == 0 ? host_ : image.origin;
  origin_ = host_;
  disk_.set_origin(host_);
  ++epoch_;
  loop_ = std::make_unique<NodeLoop>(timeline_, clock_);
  service_ =
      std::make_unique<Service>(network_, host_, options_.port, *loop_, static_cast<ServiceEvents&>(*this));
  say("starts");
  observer_.on_history(host_, before, offset());
}

void RedisServer::Impl::crash() {
  if (!running()) return;
  say("dies");
  leave_master();
  for (const Waiter& waiter : waiters_) loop_->stop_timer(waiter.timer);
  waiters_.clear();
  service_.reset();
  loop_.reset();
  ++epoch_;
  disk_.crash(timeline_.now(), draw_, {.data = engine_.data(), .offset = offset(), .origin = origin_});
  engine_.set_data({});
  engine_.forget_scripts();
  begin_stream(0);
  for (Impl* follower : followers_) follower->lose_link();
}

void RedisServer::Impl::suspend(SimTime until) {
  if (running()) loop_->suspend(until, draw_.one_in(2));
}

void RedisServer::Impl::set_trouble(RedisTrouble trouble) {
  trouble_ = trouble;
  engine_.set_trouble(trouble);
}

void RedisServer::Impl::kill_clients() {
  if (!running()) return;
  for (Session* session : service_->sessions()) session->kill();
}

bool RedisServer::Impl::evict_one() {
  if (!running() || is_replica()) return false;
  std::vector<std::string> counters = engine_.data().sorted_keys();
  std::erase_if(counters,
                [this](const std::string& key) { return engine_.data().find(key)->text() == nullptr; });
  if (counters.empty()) return false;
  engine_.change_now({{.kind = Effect::Kind::remove, .key = counters[draw_.below(counters.size())]}});
  return true;
}

bool RedisServer::Impl::migrate_one(std::uint16_t slot, Impl& to) {
  if (!running() || is_replica() || !to.running() || to.is_replica()) return false;
  for (const std::string& key : engine_.data().sorted_keys()) {
    if (slot_of(key) != slot) continue;
    const Keyspace::Entry entry = *engine_.data().find(key);
    Effects restored{{.kind = Effect::Kind::remove, .key = key}};
    if (entry.text() != nullptr) {
      restored.push_back(
          {.kind = Effect::Kind::set, .key = key, .value = *entry.text(), .expires_at = entry.expires_at});
    } else {
      for (const auto& [field, value] : *entry.hash())
        restored.push_back({.kind = Effect::Kind::hash_set, .key = key, .field = field, .value = value});
    }
    to.engine_.change_now(std::move(restored));
    engine_.change_now({{.kind = Effect::Kind::remove, .key = key}});
    return true;
  }
  return false;
}

std::int64_t RedisServer::Impl::wall_us() const {
  return std::chrono::floor<std::chrono::microseconds>(clock_.wall_now()).time_since_epoch().count();
}

std::int64_t RedisServer::Impl::now_ms() const {
  return std::chrono::floor<std::chrono::milliseconds>(clock_.wall_now()).time_since_epoch().count();
}

Endpoint RedisServer::Impl::endpoint() const {
  return {.host = network_.name_of(host_), .port = options_.port};
}

std::size_t RedisServer::Impl::connected() const {
  return running() ? service_->sessions().size() : 0;
}

void RedisServer::Impl::say(const std::string& what) const {
  trace_.note(timeline_.now(), network_.name_of(host_), what);
}

// The face of it.

RedisServer::RedisServer(Network& network, HostId host, Timeline& timeline, const NodeClock& clock,
                         Trace& trace, Draw draw, RedisObserver& observer, RedisOptions options)
    : impl_(std::make_unique<Impl>(*this, network, host, timeline, clock, trace, draw, observer, options)) {}

RedisServer::~RedisServer() = default;

HostId RedisServer::host() const {
  return impl_->host();
}
bool RedisServer::running() const {
  return impl_->running();
}
void RedisServer::start() {
  impl_->start();
}
void RedisServer::crash() {
  impl_->crash();
}
void RedisServer::suspend(SimTime until) {
  impl_->suspend(until);
}
void RedisServer::replicate(RedisServer& master) {
  impl_->replicate(*master.impl_);
}
void RedisServer::promote() {
  impl_->promote();
}
bool RedisServer::is_master() const {
  return !impl_->is_replica();
}
const RedisServer* RedisServer::master() const {
  return impl_->master();
}
std::uint64_t RedisServer::offset() const {
  return impl_->offset();
}
HostId RedisServer::origin() const {
  return impl_->origin();
}
void RedisServer::set_trouble(RedisTrouble trouble) {
  impl_->set_trouble(trouble);
}
void RedisServer::flush_scripts() {
  impl_->engine().forget_scripts();
}
void RedisServer::flush_all() {
  if (impl_->running() && !impl_->is_replica()) impl_->engine().change_now({{.kind = Effect::Kind::flush}});
}
bool RedisServer::evict_one() {
  return impl_->evict_one();
}
void RedisServer::kill_clients() {
  impl_->kill_clients();
}
void RedisServer::set_slots(std::shared_ptr<const Slots> slots) {
  impl_->engine().set_slots(std::move(slots));
}
bool RedisServer::migrate_one(std::uint16_t slot, RedisServer& to) {
  return impl_->migrate_one(slot, *to.impl_);
}
Endpoint RedisServer::endpoint() const {
  return impl_->endpoint();
}
bool RedisServer::suspended() const {
  return impl_->running() && impl_->suspended();
}
std::optional<std::string> RedisServer::value(std::string_view key) {
  const Keyspace::Entry* entry = impl_->engine().data().find(key);
  if (entry == nullptr || entry->expired(impl_->now_ms()) || entry->text() == nullptr) return std::nullopt;
  return *entry->text();
}
std::size_t RedisServer::keys() {
  return impl_->engine().data().live(impl_->now_ms());
}
std::size_t RedisServer::connected() const {
  return impl_->connected();
}
std::uint64_t RedisServer::commands() const {
  return impl_->engine().commands();
}

}  // namespace sluice::sim
