// Virtual time: what happens in the simulated world, in order.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/time.h"

namespace sluice::sim {

/// True time: since the world began. No node of the world can read it; their clocks drift from it.
using SimTime = std::chrono::nanoseconds;

/// A queue of events. Events of one moment run in the order in which they were added, so that a run depends
/// on nothing but what was drawn for it.
class Timeline {
 public:
  using EventId = std::uint64_t;  ///< 0 names none

  Timeline() = default;
  /// What has not run is dropped uncalled.
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  [[nodiscard]] SimTime now() const { return now_; }

  /// `when` in the past counts as now.
  EventId at(SimTime when, std::function<void()> act);
  EventId after(Duration delay, std::function<void()> act) { return at(now_ + delay, std::move(act)); }
  /// An event that has run, or 0: does nothing.
  void cancel(EventId event);

  /// Runs everything up to and including `end`, which is now afterwards. A million events in one moment are a
  /// loop that never ends: asserts.
  void run_until(SimTime end);

  [[nodiscard]] std::uint64_t events_run() const { return events_run_; }

 private:
  struct Due {
    SimTime when;
    std::uint64_t order;  ///< of being added
    EventId id;
  };
  /// Holds one act after another; the generation tells their ids apart.
  struct Slot {
    std::uint32_t generation = 1;
    std::function<void()> act;
  };
  static bool later(const Due& a, const Due& b);
  /// The act of an event, whose slot is free afterwards; empty if it has run or was cancelled.
  [[nodiscard]] std::function<void()> take(EventId event);
  void pop();
  void forget_cancelled();

  SimTime now_{};
  std::uint64_t next_order_ = 0;
  std::uint64_t events_run_ = 0;
  std::size_t cancelled_ = 0;  ///< that are in the heap still
  std::vector<Due> heap_;      ///< the soonest first; cancelled ones stay until due, or until they are many
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace sluice::sim
