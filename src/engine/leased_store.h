// A store whose tokens are leased from another, remote one: answers from memory when it can.
//
// It carries out what lease/ decides: sends the requests due at the end of each turn of the loop, hands their
// results back, and lets time pass. To the engine it is a store like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/steady_wall.h"
#include "base/time.h"
#include "engine/local_shares.h"
#include "lease/grant.h"
#include "lease/table.h"
#include "lease/terms.h"
#include "limiter/limit.h"
#include "rules/policy.h"
#include "store/store.h"

namespace sluice::engine {

struct LeasedStoreOptions {
  std::size_t max_keys = 1'000'000;  ///< keys of which anything is held or known
};

class LeasedStore final : public store::Store, private store::StoreSink {
 public:
  /// All references must outlive this, which becomes the sink of `behind`. `policy` tells how the tokens of
  /// each of its limits may be held; those of other limits (CL.THROTTLE's) go by its default.
  LeasedStore(Loop& loop, Random& random, store::Store& behind, const LeasedStoreOptions& options,
              std::shared_ptr<const rules::Policy> policy);
  ~LeasedStore() override;
  LeasedStore(const LeasedStore&) = delete;
  LeasedStore& operator=(const LeasedStore&) = delete;

  void set_policy(std::shared_ptr<const rules::Policy> policy);

  void set_sink(store::StoreSink& sink) override { sink_ = &sink; }
  /// One need of one request, of a cost ≥ 1; how much is leased ahead is decided here, whatever `extra` says.
  [[nodiscard]] std::optional<store::Outcome> lease(const store::LeaseRequest& request,
                                                    std::uint64_t tag) override;
  /// Asks the store behind, and adds what is at hand; a cost of 0 is answered from memory if anything is
  /// known.
  [[nodiscard]] std::optional<store::Outcome> peek(std::string_view key, const limiter::Limit& limit,
                                                   std::int64_t cost, std::uint64_t tag) override;
  [[nodiscard]] std::optional<store::Outcome> give_back(const store::GiveBack& request,
                                                        std::uint64_t tag) override;
  [[nodiscard]] std::optional<store::Outcome> glance(std::string_view key, const limiter::Limit& limit,
                                                     std::int64_t cost) const override;
  [[nodiscard]] std::optional<store::Outcome> reset(std::string_view key, const limiter::Limit& limit,
                                                    std::uint64_t tag) override;
  [[nodiscard]] store::Generation generation_of(std::string_view key) const override;
  [[nodiscard]] store::Fleet fleet_of(std::string_view key) const override { return behind_.fleet_of(key); }
  [[nodiscard]] std::optional<store::Outcome> take_share(std::string_view key, const limiter::Limit& limit,
                                                         std::int64_t cost) override;
  void put_share_back(std::string_view key, std::int64_t tokens) override;

  /// Gives everything back and, from then on, keeps nothing ahead of need. Calls `done` once, from the loop,
  /// when the store has answered all that was sent.
  void drain(std::function<void()> done);

  [[nodiscard]] const lease::TableCounters& counters() const { return table_.counters(); }
  [[nodiscard]] std::size_t size() const { return table_.size(); }
  /// Keys of which this daemon enforces its part by itself.
  [[nodiscard]] std::size_t shared_out() const { return shares_.size(); }

 private:
  /// A peek, refund or reset on its way to the store behind.
  struct Passed {
    enum class Kind : std::uint8_t { peek, refund, reset };
    Kind kind = Kind::peek;
    std::uint64_t tag = 0;
    std::string key;
    std::int64_t cost = 0;
  };

  void on_outcome(std::uint64_t tag, const store::Outcome& outcome) override;
  void on_leased(std::uint64_t id, const store::Outcome& outcome);
  std::optional<store::Outcome> pass(std::optional<store::Outcome> outcome, std::uint64_t id, Passed passed);
  store::Outcome completed(const Passed& passed, store::Outcome outcome);
  [[nodiscard]] lease::TermsPtr terms_of(const limiter::Limit& limit) const;
  [[nodiscard]] Instant now() const { return loop_.clock().now(); }
  void after_event();
  void flush();
  void act();
  void send(const lease::Ask& ask);
  void send(const lease::Return& tokens);
  void tick();
  void book_shares();
  [[nodiscard]] WallTime wall_now();
  void finish_drain();

  Loop& loop_;
  store::Store& behind_;
  store::StoreSink* sink_ = nullptr;
  std::shared_ptr<const rules::Policy> policy_;
  std::unordered_map<const limiter::Limit*, lease::TermsPtr> terms_;
  mutable lease::TermsPtr other_terms_;  ///< of the last limit that is not of the policy
  lease::Table table_;
  lease::Actions actions_;
  LocalShares shares_;
  SteadyWall wall_;
  std::unordered_map<std::uint64_t, Passed> passed_;
  std::uint64_t next_passed_ = 1;
  std::size_t asks_in_flight_ = 0;
  std::size_t returns_in_flight_ = 0;
  bool flush_deferred_ = false;
  TimerId tick_timer_ = 0;
  std::function<void()> drained_;
  bool draining_ = false;
  Liveness liveness_;
};

}  // namespace sluice::engine
