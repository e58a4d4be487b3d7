// The event loop of one simulated process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/loop.h"
#include "base/time.h"
#include "sim/core/node_clock.h"
#include "sim/core/timeline.h"

namespace sluice::sim {

/// Each event is one turn: it runs, then what it deferred. As in the real loop timers of one moment fire in
/// the order of their start, and a timer started by a timer waits for the next turn. Destroying the loop is
/// the death of its process: nothing that was posted, deferred or timed runs any more.
class NodeLoop final : public Loop {
 public:
  /// Both references must outlive the loop.
  NodeLoop(Timeline& timeline, const NodeClock& clock);
  ~NodeLoop() override;
  NodeLoop(const NodeLoop&) = delete;
  NodeLoop& operator=(const NodeLoop&) = delete;

  [[nodiscard]] const Clock& clock() const override { return clock_; }
  TimerId start_timer(Duration after, std::function<void()> fire) override;
  void stop_timer(TimerId timer) override;
  void defer(std::function<void()> task) override;

  /// The world's: `act` is an event of I/O of this process at `when`.
  void post(SimTime when, std::function<void()> act);

  /// The process is stopped (SIGSTOP, a node that swaps) until then; its clocks go on. What becomes due
  /// meanwhile runs at `until`: I/O first, in order, as a process that wakes up in its wait for I/O does, or
  /// timers first, as one that was stopped while computing; `io_first` says which. Of two suspensions the
  /// later end counts.
  void suspend(SimTime until, bool io_first);
  [[nodiscard]] bool suspended() const { return timeline_.now() < suspended_until_; }

  [[nodiscard]] Timeline& timeline() { return timeline_; }

 private:
  struct Timer {
    Timeline::EventId event = 0;
    std::function<void()> fire;
  };
  /// Something to run in a turn: `act`, or a timer.
  struct Event {
    TimerId timer = 0;
    std::function<void()> act{};
  };
  void run(Event event);
  void fire(TimerId timer);
  void turn(const std::function<void()>& act);
  void wake();

  Timeline& timeline_;
  const NodeClock& clock_;
  TimerId next_timer_ = 1;
  std::unordered_map<TimerId, Timer> timers_;
  std::vector<std::function<void()>> deferred_;
  bool in_turn_ = false;
  SimTime suspended_until_{};
  bool stopped_ = false;  ///< until wake(), which is not the first event of its moment
  bool io_first_ = true;
  std::vector<Event> held_;  ///< that became due while stopped
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sluice::sim
