// Many daemons over one store on virtual time: what a fleet admits, wastes and asks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/leased_store.h"
#include "limiter/limit.h"
#include "rules/policy.h"
#include "store/memory/memory_store.h"
#include "store/store.h"
#include "support/latent_store.h"
#include "support/policies.h"
#include "support/virtual_loop.h"

namespace sluice::test {

struct Admission {
  Instant at{};  ///< of the answer
  WallTime wall{};
  std::int64_t cost = 0;
};

class Fleet {
 public:
  struct Options {
    std::size_t daemons = 1;
    std::uint64_t seed = 1;
    LatentStore::Options network{};
  };

  Fleet(const rules::RuleSpec& rule, const Options& options)
      : random_(options.seed), policy_(policy({rule})) {
    policy_->for_each_limit([this](const rules::Rule&, const limiter::Limit& limit) { limit_ = &limit; });
    for (std::size_t i = 0; i < options.daemons; ++i) {
      daemons_.push_back(std::make_unique<Daemon>(*this, options.network));
    }
  }

  /// Each daemon is asked for `per_second` checks of `key` a second, at random times.
  void demand(std::size_t daemon, const std::string& key, double per_second, std::int64_t cost = 1) {
    generators_.push_back(std::make_unique<Generator>(
        Generator{.daemon = daemon, .key = key, .rate = per_second, .cost = cost}));
    arm(*generators_.back());
  }
  void stop_demand() { generators_running_ = false; }

  void run(Duration time) { loop_.advance(time); }

  void check(std::size_t daemon, const std::string& key, std::int64_t cost = 1) {
    ++checks_;
    const std::array<store::Need, 1> needs{{{.cost = cost, .count = 1}}};
    const std::uint64_t tag = next_tag_++;
    costs_[tag] = cost;
    const auto outcome =
        daemons_[daemon]->leased.lease({.key = key, .limit = limit_, .needs = needs, .extra = 0}, tag);
    if (outcome) answered(tag, *outcome);
  }

  /// Consumed in the store: what a peek finds missing.
  [[nodiscard]] std::int64_t used_in_store(const std::string& key) {
    return limit_->capacity() - memory_.peek(key, *limit_, 0, 0)->grant.remaining;
  }

  [[nodiscard]] std::int64_t admitted() const {
    std::int64_t sum = 0;
    for (const Admission& admission : admissions_) sum += admission.cost;
    return sum;
  }
  [[nodiscard]] std::uint64_t operations() const {
    std::uint64_t sum = 0;
    for (const auto& daemon : daemons_) sum += daemon->latent.operations();
    return sum;
  }
  [[nodiscard]] std::uint64_t checks() const { return checks_; }
  [[nodiscard]] std::uint64_t denied() const { return denied_; }
  [[nodiscard]] std::uint64_t failed() const { return failed_; }
  [[nodiscard]] std::uint64_t open() const { return costs_.size(); }
  [[nodiscard]] const std::vector<Admission>& admissions() const { return admissions_; }
  [[nodiscard]] VirtualLoop& loop() { return loop_; }
  [[nodiscard]] const limiter::Limit& limit() const { return *limit_; }
  [[nodiscard]] engine::LeasedStore& daemon(std::size_t index) { return daemons_[index]->leased; }
  [[nodiscard]] store::MemoryStore& memory() { return memory_; }
  void forget_counts() {
    admissions_.clear();
    checks_ = 0;
    denied_ = 0;
    base_operations_ = operations();
  }
  [[nodiscard]] std::uint64_t operations_since() const { return operations() - base_operations_; }

 private:
  struct Daemon final : store::StoreSink {
    Daemon(Fleet& its_fleet, const LatentStore::Options& network)
        : fleet(its_fleet),
          latent(fleet.loop_, fleet.random_, fleet.memory_, network),
          leased(fleet.loop_, fleet.random_, latent, {}, fleet.policy_) {
      leased.set_sink(*this);
    }
    void on_outcome(std::uint64_t tag, const store::Outcome& outcome) override {
      fleet.answered(tag, outcome);
    }
    Fleet& fleet;
    LatentStore latent;
    engine::LeasedStore leased;
  };
  struct Generator {
    std::size_t daemon = 0;
    std::string key;
    double rate = 0;
    std::int64_t cost = 1;
  };

  void answered(std::uint64_t tag, const store::Outcome& outcome) {
    const std::int64_t cost = costs_.at(tag);
    costs_.erase(tag);
    if (outcome.error) {
      ++failed_;
    } else if (outcome.grant.retry_after == Duration::zero()) {
      admissions_.push_back({.at = loop_.clock().now(), .wall = loop_.clock().wall_now(), .cost = cost});
    } else {
      ++denied_;
    }
  }

  void arm(Generator& generator) {
    const double uniform = (static_cast<double>(random_.below(1'000'000)) + 1) / 1'000'001;
    const double wait_s = -std::log(uniform) / generator.rate;
    loop_.start_timer(std::chrono::nanoseconds{static_cast<std::int64_t>(wait_s * 1e9)}, [this, &generator] {
      if (!generators_running_) return;
      check(generator.daemon, generator.key, generator.cost);
      arm(generator);
    });
  }

  VirtualLoop loop_;
  SeededRandom random_;
  store::MemoryStore memory_{loop_.clock(), random_, {.max_keys = 100'000}};
  std::shared_ptr<const rules::Policy> policy_;
  const limiter::Limit* limit_ = nullptr;
  std::vector<std::unique_ptr<Daemon>> daemons_;
  std::vector<std::unique_ptr<Generator>> generators_;
  bool generators_running_ = true;
  std::unordered_map<std::uint64_t, std::int64_t> costs_;  ///< of checks not yet answered, by tag
  std::uint64_t next_tag_ = 1;
  std::vector<Admission> admissions_;
  std::uint64_t checks_ = 0;
  std::uint64_t denied_ = 0;
  std::uint64_t failed_ = 0;
  std::uint64_t base_operations_ = 0;
};

/// The most by which any interval's admissions exceed `burst` + `rate` × its length: a bucket run over them.
inline double excess_over_bucket(const std::vector<Admission>& admissions, double burst, double per_second) {
  double level = 0;
  double worst = 0;
  Instant last{};
  for (const Admission& admission : admissions) {
    const double elapsed = std::chrono::duration<double>(admission.at - last).count();
    last = admission.at;
    level = std::max(0.0, level - elapsed * per_second) + static_cast<double>(admission.cost);
    worst = std::max(worst, level - burst);
  }
  return worst;
}

}  // namespace sluice::test
