// Where the masters of a Redis Cluster's slots are.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "store/redis/cluster_slots.h"
#include "store/redis/connection.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {

struct ClusterOptions {
  std::vector<Endpoint> seeds{};
  std::vector<std::uint16_t> slots{};  ///< those that matter; a "shard" is an index into these
  ConnectionOptions connection{};      ///< to the node that is asked; `where` is set here
  /// Without a cause the nodes are asked once in so long, half of it to the whole.
  Duration poll = std::chrono::seconds{60};
  /// Between two questions, however many causes there are.
  Duration pause = std::chrono::milliseconds{200};
};

/// From the loop.
class ClusterEvents {
 public:
  virtual ~ClusterEvents() = default;
  /// The slot's master is there, and was not before: whoever is connected elsewhere must leave.
  virtual void on_master(std::size_t shard, const Endpoint& where) = 0;
  /// A node that was asked is the trouble; another one is asked. Often.
  virtual void on_node_failed(std::string_view node, std::string_view reason) = 0;
};

/// Asks one node at a time, one question at a time: first the seeds, later any node that was ever heard of.
/// One that does not answer, or whose answer does not help when there is a cause, is left for the next one,
/// since a node that is cut off from the others tells of how things were.
///
/// A slot that nobody has keeps its last known master, which will say CLUSTERDOWN or refuse.
class ClusterWatcher final : private ConnectionEvents {
 public:
  /// At least one seed. All references must outlive it. Does nothing before start().
  ClusterWatcher(Loop& loop, Connector& connector, Random& random, ClusterEvents& events,
                 ClusterOptions options);
  ~ClusterWatcher() override;
  ClusterWatcher(const ClusterWatcher&) = delete;
  ClusterWatcher& operator=(const ClusterWatcher&) = delete;

  void start();

  [[nodiscard]] std::optional<Endpoint> where(std::size_t shard) const { return masters_[shard]; }

  /// A shard's server is lost, or is not the slot's master: asks soon. `hint`: of MOVED, a node that knows
  /// more.
  void suspect(const std::optional<Endpoint>& hint = std::nullopt);

 private:
  void on_ready() override;
  void on_down(std::string_view reason) override;
  void on_attempt_failed(std::string_view reason) override;
  void on_reply(std::uint64_t tag, const Reply& reply) override;
  void on_lost_reply(std::uint64_t tag) override;

  [[nodiscard]] Endpoint begin_attempt();
  /// Leaves the node that is asked for the next one.
  void turn_away(std::string_view reason);
  void leave(std::string_view reason);
  void tell_failure(std::string_view reason);
  void rotate();
  void ask_soon();
  void ask();
  void learn(const SlotMap& map);
  void arm_poll();

  Loop& loop_;
  Random& random_;
  ClusterEvents& events_;
  ClusterOptions options_;
  std::vector<std::optional<Endpoint>> masters_;  ///< of the shards
  std::deque<Endpoint> nodes_;                    ///< each once; the first is the next one to be asked
  Endpoint node_{};                               ///< that the connection is to
  bool leaving_ = false;                          ///< it ends by our own wish
  bool asking_ = false;                           ///< an answer is awaited
  bool with_cause_ = false;                       ///< there was one since the last answer
  Instant asked_at_{};
  TimerId ask_timer_ = 0;
  TimerId poll_timer_ = 0;
  Connection connection_;
  Liveness liveness_;
};

}  // namespace sluice::store::redis
