// Where the masters are that sentinels watch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "store/redis/connection.h"
#include "store/redis/master_votes.h"
#include "store/redis/sentinel_link.h"
#include "store/redis/sentinel_replies.h"

namespace sluice::store::redis {

struct SentinelOptions {
  std::vector<Endpoint> sentinels{};
  std::vector<std::string> masters{};  ///< their names
  ConnectionOptions connection{};      ///< to each sentinel; its endpoint is set here
  /// All are asked about all once in so long, half of it to the whole: an event may have been missed.
  Duration poll = std::chrono::seconds{5};
  /// Between two rounds about one master, however often it is lost.
  Duration pause = std::chrono::milliseconds{100};
};

/// From the loop. `master` is an index among the names.
class SentinelEvents {
 public:
  virtual ~SentinelEvents() = default;
  /// It is there, and was not before: whoever is connected elsewhere must leave at once.
  virtual void on_master(std::size_t master, const Endpoint& where) = 0;
  /// All sentinels that answer say that they know none of that name. Told once until one knows it.
  virtual void on_unknown_master(std::size_t master) = 0;
  /// No sentinel answers. Told once until one does.
  virtual void on_unreachable() = 0;
  /// One sentinel is the trouble, for the log; often.
  virtual void on_sentinel_failed(std::string_view sentinel, std::string_view reason) = 0;
};

/// Asks all sentinels at once, each with its own deadline: at the start, when one is reached or begins to
/// tell of switches, when a master is lost, and every few seconds. What decides is MasterVotes.
class SentinelWatcher final : private SentinelLinkEvents {
 public:
  /// At least one sentinel and one name. All references must outlive it. Does nothing before start().
  SentinelWatcher(Loop& loop, Connector& connector, Random& random, SentinelEvents& events,
                  SentinelOptions options);
  ~SentinelWatcher() override;
  SentinelWatcher(const SentinelWatcher&) = delete;
  SentinelWatcher& operator=(const SentinelWatcher&) = delete;

  void start();

  /// Nothing: not known yet, or in doubt until the sentinels have been asked.
  [[nodiscard]] std::optional<Endpoint> where(std::size_t master) const;
  /// Its connection is lost or cannot be had, or it is no master: asks anew, and doubts it meanwhile.
  void lost(std::size_t master) { ask_soon(master, MasterVotes::Known::in_doubt); }
  /// It answers strangely: asks anew.
  void suspect(std::size_t master) { ask_soon(master, MasterVotes::Known::trusted); }

 private:
  struct Master {
    MasterVotes votes;
    Instant asked_at{};
    TimerId ask_timer = 0;
    MasterVotes::Known doubt = MasterVotes::Known::trusted;  ///< for when the timer fires
    MasterVotes::Round told = MasterVotes::Round::open;      ///< of what lacked
  };

  void on_reachable(std::size_t sentinel) override;
  void on_answer(std::size_t sentinel, std::size_t master, const MasterAnswer& answer) override;
  void on_silence(std::size_t sentinel, std::size_t master) override;
  void on_switch(std::size_t sentinel, const MasterSwitch& change) override;
  void on_failed(std::size_t sentinel, std::string_view reason) override;

  void ask_soon(std::size_t master, MasterVotes::Known known);
  void begin_round(std::size_t master, MasterVotes::Known known);
  void moved(std::size_t master);
  void tell_what_lacks(std::size_t master);
  void arm_poll();

  Loop& loop_;
  Random& random_;
  SentinelEvents& events_;
  SentinelOptions options_;
  std::vector<Master> masters_;
  std::vector<std::unique_ptr<SentinelLink>> links_;
  bool unreachable_told_ = false;
  TimerId poll_timer_ = 0;
  Liveness liveness_;
};

}  // namespace sluice::store::redis
