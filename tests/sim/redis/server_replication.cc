// How a simulated server follows its master.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/network/network.h"
#include "sim/redis/disk.h"
#include "sim/redis/engine.h"
#include "sim/redis/fresh_id.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/server.h"
#include "sim/redis/server_impl.h"

namespace sluice::sim {
namespace {

using std::chrono::milliseconds;

/// repl-backlog-size, in steps.
constexpr std::size_t kBacklog = 20'000;
/// repl-timeout: silence that ends a link.
constexpr Duration kLinkTimeout = std::chrono::seconds{60};
constexpr Duration kRetryLeast = milliseconds{100};
constexpr Duration kRetryMost = std::chrono::seconds{1};
constexpr Duration kCopyLeast = milliseconds{5};
constexpr Duration kCopyMost = milliseconds{200};
constexpr Duration kHeldUpLeast = milliseconds{5};
constexpr Duration kHeldUpMost = milliseconds{50};

}  // namespace

// The stream.

void RedisServer::Impl::begin_stream(std::uint64_t offset) {
  backlog_.clear();
  backlog_begin_ = offset;
}

std::uint64_t RedisServer::Impl::propagate(Effects&& effects) {
  append_step(std::move(effects));
  return offset();
}

void RedisServer::Impl::append_step(Effects&& effects) {
  disk_.append(timeline_.now(), effects, offset() + 1);
  backlog_.push_back(std::move(effects));
  if (backlog_.size() > kBacklog) {
    backlog_.pop_front();
    ++backlog_begin_;
  }
  for (Impl* follower : followers_) follower->follow();
}

ReplicationFacts RedisServer::Impl::replication() const {
  ReplicationFacts facts{.is_replica = is_replica(),
                         .link_up = link_.up,
                         .id = id_,
                         .previous_id = previous_id_,
                         .previous_end = previous_end_,
                         .offset = offset()};
  if (master_ != nullptr) {
    facts.master_host = network_.name_of(master_->host_);
    facts.master_port = master_->options_.port;
  }
  for (const Impl* follower : followers_) {
    if (!follower->link_.up) continue;
    facts.replicas.push_back({.host = network_.name_of(follower->host_),
                              .port = follower->options_.port,
                              .offset = follower->link_.acknowledged});
  }
  return facts;
}

// Whom it follows.

void RedisServer::Impl::replicate(Impl& master) {
  if (!running() || &master == this) return;
  leave_master();
  master_ = &master;
  master.followers_.push_back(this);
  say("follows " + network_.name_of(master.host_));
  refuse_waiters();
  attempt_later(options_.replication_lag_least, options_.replication_lag_most);
}

void RedisServer::Impl::promote() {
  if (!running() || !is_replica()) return;
  leave_master();
  say("becomes a master at " + std::to_string(offset()));
  previous_id_ = std::exchange(id_, fresh_id(draw_));
  previous_end_ = offset();
  const HostId before = std::exchange(origin_, host_);
  disk_.set_origin(host_);
  ++epoch_;  // its followers link anew, to learn the new id
  for (Impl* follower : followers_) follower->lose_link();
  observer_.on_history(host_, before, offset());
}

void RedisServer::Impl::leave_master() {
  if (master_ == nullptr) return;
  std::erase(master_->followers_, this);
  Impl* const left = std::exchange(master_, nullptr);
  const std::uint64_t number = link_.number + 1;
  link_ = {.number = number};
  left->check_waiters();
}

/// And tries to make another one.
void RedisServer::Impl::lose_link() {
  const std::uint64_t number = link_.number + 1;
  link_ = {.number = number};
  attempt_later(kRetryLeast, kRetryMost);
}

void RedisServer::Impl::later(Duration least, Duration most, std::function<void()> act) {
  timeline_.after(draw_.between(least, most),
                  [this, number = link_.number, watch = liveness_.watch(), act = std::move(act)] {
                    if (watch && number == link_.number && running() && is_replica()) act();
                  });
}

void RedisServer::Impl::attempt_later(Duration least, Duration most) {
  later(least, most, [this] { attempt(); });
}

bool RedisServer::Impl::reaches_master() const {
  return !suspended() && !master_->suspended() && !network_.blocked(host_, master_->host_) &&
         !network_.blocked(master_->host_, host_) && (!master_->is_replica() || master_->link_.up);
}

void RedisServer::Impl::attempt() {
  if (!reaches_master()) return attempt_later(kRetryLeast, kRetryMost);
  if (may_continue()) return continue_stream();
  later(kCopyLeast, kCopyMost, [this] { copy_all(); });
}

bool RedisServer::Impl::may_continue() const {
  const bool in_backlog = offset() >= master_->backlog_begin_ && offset() <= master_->offset();
  const bool same = id_ == master_->id_;
  const bool before = id_ == master_->previous_id_ && offset() <= master_->previous_end_;
  return in_backlog && (same || before);
}

void RedisServer::Impl::continue_stream() {
  if (id_ != master_->id_) {
    previous_id_ = std::exchange(id_, master_->id_);
    previous_end_ = offset();
    ++epoch_;
    for (Impl* follower : followers_) follower->lose_link();
  }
  link_up();
}

void RedisServer::Impl::copy_all() {
  if (!reaches_master()) return attempt_later(kRetryLeast, kRetryMost);
  engine_.set_data(master_->engine_.data());
  begin_stream(master_->offset());
  id_ = master_->id_;
  previous_id_.clear();
  ++epoch_;
  for (Impl* follower : followers_) follower->lose_link();
  disk_.replace({.data = engine_.data(), .offset = offset(), .origin = master_->origin_});
  link_up();
}

void RedisServer::Impl::link_up() {
  origin_ = master_->origin_;
  disk_.set_origin(origin_);
  link_.up = true;
  link_.master_epoch = master_->epoch_;
  link_.acknowledged = offset();
  link_.delivered_at = timeline_.now();
  say("is linked at " + std::to_string(offset()));
  follow();
  master_->check_waiters();
}

// What it is sent.

/// There may be more to deliver.
void RedisServer::Impl::follow() {
  const bool more = master_ != nullptr && (master_->offset() > offset() || link_.ack_wanted);
  if (!link_.up || link_.delivery_due || !more) return;
  deliver_later(options_.replication_lag_least, options_.replication_lag_most);
}

void RedisServer::Impl::deliver_later(Duration least, Duration most) {
  link_.delivery_due = true;
  later(least, most, [this, target = master_->offset()] { deliver(target); });
}

void RedisServer::Impl::deliver(std::uint64_t target) {
  link_.delivery_due = false;
  if (master_->epoch_ != link_.master_epoch) return lose_link();
  if (suspended() || network_.blocked(master_->host_, host_)) {
    if (timeline_.now() - link_.delivered_at > kLinkTimeout) return lose_link();
    return deliver_later(kHeldUpLeast, kHeldUpMost);
  }
  if (offset() < master_->backlog_begin_) return lose_link();
  link_.delivered_at = timeline_.now();
  while (offset() < target) {
    Effects effects = master_->backlog_[offset() - master_->backlog_begin_];
    for (const Effect& effect : effects) engine_.data().apply(effect);
    append_step(std::move(effects));
  }
  if (std::exchange(link_.ack_wanted, false))
    acknowledge_later(offset(), options_.replication_lag_least, options_.replication_lag_most);
  follow();
}

void RedisServer::Impl::acknowledge_later(std::uint64_t offset, Duration least, Duration most) {
  later(least, most, [this, offset] {
    if (suspended() || network_.blocked(host_, master_->host_))
      return acknowledge_later(offset, kHeldUpLeast, kHeldUpMost);
    link_.acknowledged = std::max(link_.acknowledged, offset);
    master_->check_waiters();
  });
}

}  // namespace sluice::sim
