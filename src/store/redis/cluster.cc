#include "store/redis/cluster.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "store/redis/cluster_slots.h"
#include "store/redis/connection.h"
#include "store/redis/crc16.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {
namespace {

/// Far more than any real cluster has; the addresses in MOVED would else be kept without end.
constexpr std::size_t kMostNodes = 2000;

ConnectionOptions for_slots(ConnectionOptions options) {
  // A cluster in pieces may have a range for each slot.
  constexpr std::size_t kBytesOfRange = 1024;
  options.max_reply_elements = std::max<std::size_t>(options.max_reply_elements, kSlots);
  options.max_reply_bytes = std::max(options.max_reply_bytes, kSlots * kBytesOfRange);
  return options;
}

}  // namespace

ClusterWatcher::ClusterWatcher(Loop& loop, Connector& connector, Random& random, ClusterEvents& events,
                               ClusterOptions options)
    : loop_(loop),
      random_(random),
      events_(events),
      options_(std::move(options)),
      masters_(options_.slots.size()),
      nodes_(options_.seeds.begin(), options_.seeds.end()),
      connection_(loop, connector, random, *this, [this] {
        ConnectionOptions connection = for_slots(options_.connection);
        connection.where = [this] { return begin_attempt(); };
        return connection;
      }()) {
  SLUICE_ASSERT(!nodes_.empty());
}

ClusterWatcher::~ClusterWatcher() {
  loop_.stop_timer(ask_timer_);
  loop_.stop_timer(poll_timer_);
}

void ClusterWatcher::start() {
  connection_.start();
  arm_poll();
}

void ClusterWatcher::arm_poll() {
  const Duration half = options_.poll / 2;
  const auto jitter =
      static_cast<Duration::rep>(random_.next() % static_cast<std::uint64_t>(half.count() + 1));
  poll_timer_ = loop_.start_timer(half + Duration(jitter), [this] {
    arm_poll();
    ask_soon();
  });
}

// Asking.

void ClusterWatcher::suspect(const std::optional<Endpoint>& hint) {
  // Only the first hint: if each of several led elsewhere, none would be followed to its end.
  const bool first = !std::exchange(with_cause_, true);
  if (first && hint && *hint != nodes_.front()) {
    const auto known = std::ranges::find(nodes_, *hint);
    if (known != nodes_.end()) nodes_.erase(known);
    if (nodes_.size() >= kMostNodes) nodes_.pop_back();
    nodes_.push_front(*hint);
    leave("another node knows more");
  }
  ask_soon();
}

Endpoint ClusterWatcher::begin_attempt() {
  leaving_ = false;
  node_ = nodes_.front();
  return node_;
}

void ClusterWatcher::ask_soon() {
  if (asking_ || ask_timer_ != 0) return;
  const Duration rest = std::max(Duration::zero(), asked_at_ + options_.pause - loop_.clock().now());
  ask_timer_ = loop_.start_timer(rest, [this] {
    ask_timer_ = 0;
    ask();
  });
}

void ClusterWatcher::ask() {
  // If it is not ready, it will be asked when it is.
  asking_ = connection_.send(std::array<std::string_view, 2>{"CLUSTER", "SLOTS"}, 0);
  if (asking_) asked_at_ = loop_.clock().now();
}

/// Unless the next one is another already.
void ClusterWatcher::rotate() {
  if (nodes_.front() != node_) return;
  nodes_.push_back(std::move(nodes_.front()));
  nodes_.pop_front();
}

void ClusterWatcher::turn_away(std::string_view reason) {
  rotate();
  leave(reason);
}

void ClusterWatcher::leave(std::string_view reason) {
  leaving_ = true;
  connection_.redirect(reason);
}

// What nodes say.

void ClusterWatcher::on_ready() {
  ask_soon();
}

void ClusterWatcher::on_down(std::string_view reason) {
  asking_ = false;
  tell_failure(reason);
}

void ClusterWatcher::on_attempt_failed(std::string_view reason) {
  rotate();
  tell_failure(reason);
}

void ClusterWatcher::tell_failure(std::string_view reason) {
  if (!std::exchange(leaving_, false)) events_.on_node_failed(node_.text(), reason);
}

void ClusterWatcher::on_lost_reply(std::uint64_t /*tag*/) {
  asking_ = false;
  if (!connection_.ready()) return;  // lost with the connection
  turn_away("no answer to CLUSTER SLOTS");
  events_.on_node_failed(node_.text(), "no answer to CLUSTER SLOTS in time");
}

void ClusterWatcher::on_reply(std::uint64_t /*tag*/, const Reply& reply) {
  asking_ = false;
  const auto map = parse_cluster_slots(reply, node_);
  if (map) return learn(*map);
  turn_away(map.error().message);
  events_.on_node_failed(node_.text(), map.error().message);
}

void ClusterWatcher::learn(const SlotMap& map) {
  for (const Endpoint& node : map.nodes) {
    const bool known = std::ranges::find(nodes_, node) != nodes_.end();
    if (!known && nodes_.size() < kMostNodes) nodes_.push_back(node);
  }
  const auto before = masters_;
  for (std::size_t shard = 0; shard < masters_.size(); ++shard) {
    const auto master = map.master_of(options_.slots[shard]);
    if (master) masters_[shard] = master;
  }
  if (std::exchange(with_cause_, false) && masters_ == before) turn_away("its answer is no news");
  const auto watch = liveness_.watch();
  for (std::size_t shard = 0; shard < before.size() && watch; ++shard) {
    const std::optional<Endpoint>& now = masters_[shard];
    if (now && now != before[shard]) events_.on_master(shard, *now);
  }
}

}  // namespace sluice::store::redis
