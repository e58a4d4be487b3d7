// A loop on virtual time, for tests: nothing happens until it is told how much time passes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "support/split_mix.h"

namespace sluice::test {

/// Both clocks start at round numbers and move only by hand.
class ManualClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return now_; }
  [[nodiscard]] WallTime wall_now() const override { return wall_; }
  void advance(Duration by) {
    now_ += by;
    wall_ += by;
  }
  void step_wall(Duration by) { wall_ += by; }

 private:
  Instant now_{std::chrono::hours{1}};
  WallTime wall_{std::chrono::seconds{1'800'000'000}};
};

/// Runs timers in the order of their time, then of their start; a timer started by a timer waits for the
/// next turn, as in the real loop.
class VirtualLoop final : public Loop {
 public:
  [[nodiscard]] const Clock& clock() const override { return clock_; }
  [[nodiscard]] ManualClock& manual_clock() { return clock_; }

  TimerId start_timer(Duration after, std::function<void()> fire) override {
    const TimerId id = next_++;
    timers_.emplace(std::pair{clock_.now() + after, id}, std::move(fire));
    return id;
  }
  void stop_timer(TimerId timer) override {
    std::erase_if(timers_, [timer](const auto& entry) { return entry.first.second == timer; });
  }
  void defer(std::function<void()> task) override { deferred_.push_back(std::move(task)); }

  /// Runs what was deferred; the end of a turn.
  void turn() {
    while (!deferred_.empty()) {
      const auto tasks = std::exchange(deferred_, {});
      for (const auto& task : tasks) task();
    }
  }

  /// Lets time pass, firing what becomes due, each at its own time.
  void advance(Duration by) {
    const Instant end = clock_.now() + by;
    turn();
    while (!timers_.empty() && timers_.begin()->first.first <= end) {
      const Instant due = timers_.begin()->first.first;
      if (due > clock_.now()) clock_.advance(due - clock_.now());
      const auto fire = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      fire();
      turn();
    }
    clock_.advance(end - clock_.now());
  }

  [[nodiscard]] std::size_t timers() const { return timers_.size(); }

 private:
  ManualClock clock_;
  TimerId next_ = 1;
  std::map<std::pair<Instant, TimerId>, std::function<void()>> timers_;
  std::vector<std::function<void()>> deferred_;
};

/// SplitMix64: the same numbers in every run.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed = 1) : state_(seed) {}
  [[nodiscard]] std::uint64_t next() override { return split_mix(state_ += kSplitMixStep); }
  /// Uniform enough in [0, bound) for tests.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

}  // namespace sluice::test
