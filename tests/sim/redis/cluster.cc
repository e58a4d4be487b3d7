#include "sim/redis/cluster.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/connector.h"
#include "base/liveness.h"
#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/timeline.h"
#include "sim/redis/fresh_id.h"
#include "sim/redis/server.h"
#include "sim/redis/slots.h"

namespace sluice::sim {
namespace {

using Slots = RedisServer::Slots;

/// How often a node looks for news that it missed, and whether it follows whom it should.
constexpr Duration kTick = std::chrono::milliseconds{500};
/// Steps of a slot's way: with each but the last one key goes, with the last all that are left.
constexpr int kSteps = 16;

}  // namespace

class RedisCluster::Impl {
 public:
  Impl(Timeline& timeline, Draw draw, std::vector<RedisServer*> masters,
       const std::vector<std::vector<RedisServer*>>& replicas);

  [[nodiscard]] std::size_t groups() const { return masters_.size(); }
  [[nodiscard]] RedisServer& master(std::size_t group) const { return *masters_.at(group); }
  [[nodiscard]] const std::vector<RedisServer*>& members(std::size_t group) const {
    return members_.at(group);
  }
  [[nodiscard]] std::size_t group_of(std::uint16_t slot) const { return owner_.at(slot); }

  void fail_over(std::size_t group, RedisServer& replica, Duration gossip);
  bool move_slot(std::uint16_t slot, std::size_t to_group, Duration takes, Duration gossip);

 private:
  using Change = std::function<void(Slots&)>;
  struct News {
    SimTime due{};
    Change change{};
  };
  struct Node {
    RedisServer* server = nullptr;
    std::size_t group = 0;
    Slots::Node self{};
    Slots view{};
    std::deque<News> news{};  ///< in the order in which it happened
  };
  /// A slot under way.
  struct Move {
    std::size_t to = 0;
    Duration step{};
    int steps_left = 0;
    Duration gossip{};
  };

  [[nodiscard]] Node& node_of(const RedisServer& server);
  void tell(Node& node, const Change& change, Duration within);
  void tell_now(Node& node, const Change& change);
  void hear(Node& node);
  void follow(Node& node);
  void tick(std::size_t node);
  void publish(Node& node);
  void step(std::uint16_t slot);
  void step_later(std::uint16_t slot, Duration after);
  void mark(std::uint16_t slot, Node& from, Node& to);
  void finish(std::uint16_t slot, const RedisServer& from, const RedisServer& to, const Move& move);
  void after(Duration delay, std::function<void()> act);

  Timeline& timeline_;
  Draw draw_;
  std::vector<RedisServer*> masters_;
  std::vector<std::vector<RedisServer*>> members_;
  std::vector<Node> nodes_;
  std::array<std::size_t, kSlotCount> owner_{};
  std::map<std::uint16_t, Move> moves_;
  Liveness liveness_;
};

RedisCluster::Impl::Impl(Timeline& timeline, Draw draw, std::vector<RedisServer*> masters,
                         const std::vector<std::vector<RedisServer*>>& replicas)
    : timeline_(timeline), draw_(draw), masters_(std::move(masters)) {
  SLUICE_ASSERT(!masters_.empty() && masters_.size() == replicas.size());
  for (std::size_t slot = 0; slot < kSlotCount; ++slot) owner_.at(slot) = slot * masters_.size() / kSlotCount;
  std::vector<Slots::Group> all;
  for (std::size_t group = 0; group < masters_.size(); ++group) {
    std::vector<RedisServer*> servers = replicas[group];
    servers.insert(servers.begin(), masters_[group]);
    for (RedisServer* server : servers) {
      const Endpoint endpoint = server->endpoint();
      nodes_.push_back({.server = server,
                        .group = group,
                        .self = {.host = endpoint.host, .port = endpoint.port, .id = fresh_id(draw_)}});
      if (server == masters_[group]) {
        all.push_back({.master = nodes_.back().self});
      } else {
        all.back().replicas.push_back(nodes_.back().self);
      }
    }
    members_.push_back(std::move(servers));
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].view.self = nodes_[i].self;
    nodes_[i].view.groups = all;
    nodes_[i].view.owner = owner_;
    publish(nodes_[i]);
    after(draw_.between(Duration{1}, kTick), [this, i] { tick(i); });
  }
}

void RedisCluster::Impl::after(Duration delay, std::function<void()> act) {
  timeline_.after(delay, [watch = liveness_.watch(), act = std::move(act)] {
    if (watch) act();
  });
}

RedisCluster::Impl::Node& RedisCluster::Impl::node_of(const RedisServer& server) {
  const auto found = std::ranges::find(nodes_, &server, &Node::server);
  SLUICE_ASSERT(found != nodes_.end());
  return *found;
}

// What nodes hear.

void RedisCluster::Impl::publish(Node& node) {
  node.server->set_slots(std::make_shared<const Slots>(node.view));
}

void RedisCluster::Impl::tell(Node& node, const Change& change, Duration within) {
  SimTime due = timeline_.now() + draw_.between(Duration::zero(), within);
  // What happened later is not heard of earlier.
  if (!node.news.empty()) due = std::max(due, node.news.back().due);
  node.news.push_back({.due = due, .change = change});
  after(due - timeline_.now(), [this, &node] { hear(node); });
}

/// Who takes part in a change knows of all that went before.
void RedisCluster::Impl::tell_now(Node& node, const Change& change) {
  for (const News& news : std::exchange(node.news, {})) news.change(node.view);
  change(node.view);
  publish(node);
  follow(node);
}

void RedisCluster::Impl::hear(Node& node) {
  if (!node.server->running() || node.server->suspended()) return;
  bool changed = false;
  while (!node.news.empty() && node.news.front().due <= timeline_.now()) {
    node.news.front().change(node.view);
    node.news.pop_front();
    changed = true;
  }
  if (changed) publish(node);
  follow(node);
}

/// As its own view has it.
void RedisCluster::Impl::follow(Node& node) {
  const Slots::Node& master = node.view.groups.at(node.group).master;
  if (master.id == node.self.id) return;
  const auto found =
      std::ranges::find_if(nodes_, [&master](const Node& other) { return other.self.id == master.id; });
  if (node.server->master() != found->server) node.server->replicate(*found->server);
}

void RedisCluster::Impl::tick(std::size_t node) {
  hear(nodes_[node]);
  after(kTick, [this, node] { tick(node); });
}

// What happens.

void RedisCluster::Impl::fail_over(std::size_t group, RedisServer& replica, Duration gossip) {
  Node& winner = node_of(replica);
  SLUICE_ASSERT(winner.group == group);
  if (!replica.running() || masters_.at(group) == &replica) return;
  masters_[group] = &replica;
  Slots::Group now{.master = winner.self};
  for (const Node& node : nodes_)
    if (node.group == group && node.server != &replica) now.replicas.push_back(node.self);
  const Change change = [group, now](Slots& view) { view.groups.at(group) = now; };
  replica.promote();
  tell_now(winner, change);
  for (Node& node : nodes_)
    if (&node != &winner) tell(node, change, gossip);
}

bool RedisCluster::Impl::move_slot(std::uint16_t slot, std::size_t to_group, Duration takes,
                                   Duration gossip) {
  SLUICE_ASSERT(slot < kSlotCount && to_group < groups());
  if (owner_.at(slot) == to_group || moves_.contains(slot)) return false;
  moves_[slot] = {.to = to_group, .step = takes / kSteps, .steps_left = kSteps, .gossip = gossip};
  step(slot);
  return true;
}

void RedisCluster::Impl::step_later(std::uint16_t slot, Duration after_it) {
  after(after_it, [this, slot] { step(slot); });
}

void RedisCluster::Impl::step(std::uint16_t slot) {
  Move& move = moves_.at(slot);
  RedisServer& from = *masters_.at(owner_.at(slot));
  RedisServer& to = *masters_.at(move.to);
  const auto works = [](const RedisServer& server) {
    return server.running() && !server.suspended() && server.is_master();
  };
  // The operator tries again, and goes on with whoever is master then.
  if (!works(from) || !works(to)) return step_later(slot, kTick);
  mark(slot, node_of(from), node_of(to));
  if (--move.steps_left > 0) {
    if (move.steps_left < kSteps - 1) from.migrate_one(slot, to);
    return step_later(slot, move.step);
  }
  while (from.migrate_one(slot, to)) {
  }
  finish(slot, from, to, move);
}

void RedisCluster::Impl::mark(std::uint16_t slot, Node& from, Node& to) {
  if (from.view.migrating.contains(slot) && to.view.importing.contains(slot)) return;
  to.view.importing.insert_or_assign(slot, from.self);
  publish(to);
  from.view.migrating.insert_or_assign(slot, to.self);
  publish(from);
}

void RedisCluster::Impl::finish(std::uint16_t slot, const RedisServer& from, const RedisServer& to,
                                const Move& move) {
  const std::size_t owner = move.to;
  const Duration gossip = move.gossip;
  moves_.erase(slot);
  owner_.at(slot) = owner;
  const Change change = [slot, owner](Slots& view) {
    view.owner.at(slot) = owner;
    view.migrating.erase(slot);
    view.importing.erase(slot);
  };
  for (Node& node : nodes_) {
    const bool told = node.server == &to || node.server == &from;
    if (told) {
      tell_now(node, change);
    } else {
      tell(node, change, gossip);
    }
  }
}

RedisCluster::RedisCluster(Timeline& timeline, Draw draw, std::vector<RedisServer*> masters,
                           std::vector<std::vector<RedisServer*>> replicas)
    : impl_(std::make_unique<Impl>(timeline, draw, std::move(masters), replicas)) {}

RedisCluster::~RedisCluster() = default;

std::size_t RedisCluster::groups() const {
  return impl_->groups();
}
RedisServer& RedisCluster::master(std::size_t group) const {
  return impl_->master(group);
}
const std::vector<RedisServer*>& RedisCluster::members(std::size_t group) const {
  return impl_->members(group);
}
void RedisCluster::fail_over(std::size_t group, RedisServer& replica, Duration gossip) {
  impl_->fail_over(group, replica, gossip);
}
bool RedisCluster::move_slot(std::uint16_t slot, std::size_t to_group, Duration takes, Duration gossip) {
  return impl_->move_slot(slot, to_group, takes, gossip);
}
std::size_t RedisCluster::group_of(std::uint16_t slot) const {
  return impl_->group_of(slot);
}

}  // namespace sluice::sim
