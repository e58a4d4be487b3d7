// The inside of a simulated server: process, replication, connections.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/disk.h"
#include "sim/redis/engine.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/observer.h"
#include "sim/redis/server.h"
#include "sim/redis/service.h"
#include "sim/redis/value.h"
#include "store/redis/scripts.h"

namespace sluice::sim {

class RedisServer::Impl final : private EngineHost, private ServiceEvents {
 public:
  Impl(RedisServer& self, Network& network, HostId host, Timeline& timeline, const NodeClock& clock,
       Trace& trace, Draw draw, RedisObserver& observer, const RedisOptions& options);
  ~Impl() override;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void start();
  void crash();
  void suspend(SimTime until);
  void set_trouble(RedisTrouble trouble);
  void kill_clients();
  bool evict_one();

  void replicate(Impl& master);
  void promote();
  bool migrate_one(std::uint16_t slot, Impl& to);

  [[nodiscard]] HostId host() const { return host_; }
  [[nodiscard]] bool running() const { return loop_ != nullptr; }
  [[nodiscard]] const RedisServer* master() const { return master_ != nullptr ? &master_->self_ : nullptr; }
  [[nodiscard]] bool is_replica() const override { return master_ != nullptr; }
  [[nodiscard]] std::uint64_t offset() const { return backlog_begin_ + backlog_.size(); }
  [[nodiscard]] HostId origin() const { return origin_; }
  [[nodiscard]] Engine& engine() { return engine_; }
  [[nodiscard]] const Engine& engine() const { return engine_; }
  [[nodiscard]] std::int64_t now_ms() const;
  [[nodiscard]] std::size_t connected() const;
  [[nodiscard]] Endpoint endpoint() const;
  [[nodiscard]] bool suspended() const { return loop_ == nullptr || loop_->suspended(); }

 private:
  /// Of a replica to its master.
  struct Link {
    std::uint64_t number = 0;  ///< of this link: events of earlier ones are void
    bool up = false;
    std::uint64_t master_epoch = 0;  ///< the master's, when it was made
    std::uint64_t acknowledged = 0;  ///< that the master has heard of
    bool delivery_due = false;
    bool ack_wanted = false;
    SimTime delivered_at{};
  };
  struct Waiter {
    std::uint64_t number = 0;
    Session* session = nullptr;
    Wait wait{};
    TimerId timer = 0;
  };

  // EngineHost
  [[nodiscard]] std::int64_t wall_us() const override;
  [[nodiscard]] ReplicationFacts replication() const override;
  std::uint64_t propagate(Effects&& effects) override;
  void on_script(const Client& client, std::string_view sha1, Words keys, Words arguments,
                 const Value& answer) override;
  // ServiceEvents
  [[nodiscard]] Value on_request(Session& session, Words words) override;
  void on_gone(Session& session) override;
  [[nodiscard]] Duration delay() override;

  // WAIT
  void begin_wait(Session& session, const Wait& wait);
  [[nodiscard]] std::int64_t acknowledged(std::uint64_t offset) const;
  void check_waiters();
  void end_wait(std::uint64_t number, const Value& answer);
  void end_wait_soon(std::uint64_t number, Value answer);
  void refuse_waiters();

  // The stream
  void append_step(Effects&& effects);
  void begin_stream(std::uint64_t offset);

  // As a replica
  void leave_master();
  void lose_link();
  void attempt_later(Duration least, Duration most);
  void attempt();
  [[nodiscard]] bool reaches_master() const;
  [[nodiscard]] bool may_continue() const;
  void continue_stream();
  void copy_all();
  void link_up();
  void follow();
  void deliver(std::uint64_t target);
  void deliver_later(Duration least, Duration most);
  void acknowledge_later(std::uint64_t offset, Duration least, Duration most);
  /// As long as this link lasts and the process runs.
  void later(Duration least, Duration most, std::function<void()> act);
  void say(const std::string& what) const;

  RedisServer& self_;
  Network& network_;
  HostId host_;
  Timeline& timeline_;
  const NodeClock& clock_;
  Trace& trace_;
  Draw draw_;
  RedisObserver& observer_;
  RedisOptions options_;
  Engine engine_;
  Disk disk_;
  store::redis::Scripts scripts_;
  RedisTrouble trouble_ = RedisTrouble::none;

  std::string id_;
  std::string previous_id_;
  std::uint64_t previous_end_ = 0;
  HostId origin_;            ///< whose stream the data is of
  std::uint64_t epoch_ = 0;  ///< of what followers are linked to: restarts and promotions end it
  std::deque<Effects> backlog_;
  std::uint64_t backlog_begin_ = 0;  ///< offset before its first step

  Impl* master_ = nullptr;
  std::vector<Impl*> followers_;  ///< all whose master this is, linked or not
  Link link_;

  std::unique_ptr<NodeLoop> loop_;
  std::unique_ptr<Service> service_;
  std::vector<Waiter> waiters_;
  std::uint64_t next_waiter_ = 1;
  Liveness liveness_;
};

}  // namespace sluice::sim
