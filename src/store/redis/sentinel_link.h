// One sentinel: a connection to ask it by, and one on which it tells of switches by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "store/redis/connection.h"
#include "store/redis/master_votes.h"
#include "store/redis/reply.h"
#include "store/redis/sentinel_replies.h"

namespace sluice::store::redis {

/// From the loop; `sentinel` and `master` are indexes.
class SentinelLinkEvents {
 public:
  virtual ~SentinelLinkEvents() = default;
  /// It can be asked now, or it has just begun to tell of switches: what it said before may be outdated.
  virtual void on_reachable(std::size_t sentinel) = 0;
  virtual void on_answer(std::size_t sentinel, std::size_t master, const MasterAnswer& answer) = 0;
  /// No answer will come to what it was asked about this master.
  virtual void on_silence(std::size_t sentinel, std::size_t master) = 0;
  virtual void on_switch(std::size_t sentinel, const MasterSwitch& change) = 0;
  /// For the log.
  virtual void on_failed(std::size_t sentinel, std::string_view reason) = 0;
};

/// The two connections are apart, so that a switch is heard of while a question waits, and one that breaks
/// does not take the other with it. Each has the deadlines of its options.
class SentinelLink {
 public:
  /// References must outlive the link. `options` has the sentinel's endpoint.
  SentinelLink(Loop& loop, Connector& connector, Random& random, SentinelLinkEvents& events,
               std::size_t sentinel, const std::vector<std::string>& masters,
               const ConnectionOptions& options);

  void start();

  /// Asks about a master. True: on_answer or on_silence follows, after on_reachable if it is being connected
  /// to; who is told that must ask again. False: it cannot be reached at present.
  [[nodiscard]] bool ask(std::size_t master);

  /// Sees to it that a subscription that is dead is noticed; to be called now and then.
  void probe_subscription();

 private:
  /// The connection that questions go over.
  class Questions final : public ConnectionEvents {
   public:
    explicit Questions(SentinelLink& link) : link_(link) {}
    void on_ready() override;
    void on_down(std::string_view reason) override;
    void on_attempt_failed(std::string_view reason) override;
    void on_reply(std::uint64_t tag, const Reply& reply) override;
    void on_lost_reply(std::uint64_t tag) override;

   private:
    SentinelLink& link_;
  };
  /// The connection that subscribes.
  class Subscription final : public ConnectionEvents {
   public:
    explicit Subscription(SentinelLink& link) : link_(link) {}
    void on_ready() override;
    void on_down(std::string_view reason) override;
    void on_attempt_failed(std::string_view /*reason*/) override {}  // the other one tells
    void on_reply(std::uint64_t tag, const Reply& reply) override;
    void on_lost_reply(std::uint64_t /*tag*/) override {}
    void on_push(const Reply& push) override;

   private:
    SentinelLink& link_;
  };

  void silent_about_all();

  SentinelLinkEvents& events_;
  std::size_t sentinel_;
  const std::vector<std::string>& masters_;
  /// Of the answers that came, until that to the question for the address, which is sent after.
  std::vector<std::optional<std::uint64_t>> epochs_;
  bool unreachable_ = false;  ///< the last attempt to connect has failed
  Questions questions_events_;
  Subscription subscription_events_;
  Connection questions_;
  Connection subscription_;
  Liveness liveness_;
};

}  // namespace sluice::store::redis
