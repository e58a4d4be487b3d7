#include "sim/core/node_loop.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <utility>

#include "base/assert.h"
#include "base/loop.h"
#include "base/time.h"
#include "sim/core/node_clock.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

/// A timer that starts itself anew with nothing to wait for must not stop the world: time goes on meanwhile,
/// as it does in the real loop.
constexpr Duration kResolution = std::chrono::microseconds{1};

}  // namespace

NodeLoop::NodeLoop(Timeline& timeline, const NodeClock& clock) : timeline_(timeline), clock_(clock) {}

NodeLoop::~NodeLoop() {
  *alive_ = false;
  // What callbacks hold may be streams and timers of this loop, so it goes while the loop still works.
  while (!timers_.empty() || !deferred_.empty() || !held_.empty()) {
    const auto timers = std::exchange(timers_, {});
    const auto deferred = std::exchange(deferred_, {});
    const auto held = std::exchange(held_, {});
    for (const auto& [id, timer] : timers) timeline_.cancel(timer.event);
  }
}

TimerId NodeLoop::start_timer(Duration after, std::function<void()> fire) {
  SLUICE_ASSERT(fire != nullptr);
  const TimerId id = next_timer_++;
  const Duration wait = std::max(clock_.true_length(after), kResolution);
  const auto event = timeline_.after(wait, [this, id] { run({.timer = id}); });
  timers_.emplace(id, Timer{.event = event, .fire = std::move(fire)});
  return id;
}

void NodeLoop::stop_timer(TimerId timer) {
  const auto stopped = timers_.extract(timer);  // destroyed last: it may hold what stops others
  if (!stopped.empty()) timeline_.cancel(stopped.mapped().event);
}

void NodeLoop::defer(std::function<void()> task) {
  SLUICE_ASSERT(task != nullptr);
  // Outside of a turn (the world calls into the process) one is needed to run it in.
  if (!in_turn_ && deferred_.empty()) post(timeline_.now(), [] {});
  deferred_.push_back(std::move(task));
}

void NodeLoop::post(SimTime when, std::function<void()> act) {
  SLUICE_ASSERT(act != nullptr);
  timeline_.at(when, [this, alive = alive_, act = std::move(act)]() mutable {
    if (*alive) run({.act = std::move(act)});
  });
}

void NodeLoop::suspend(SimTime until, bool io_first) {
  if (until <= timeline_.now()) return;
  stopped_ = true;
  io_first_ = io_first;
  suspended_until_ = std::max(suspended_until_, until);
  timeline_.at(suspended_until_, [this, alive = alive_] {
    if (*alive) wake();
  });
}

void NodeLoop::wake() {
  if (suspended()) return;
  stopped_ = false;
  auto held = std::exchange(held_, {});
  const auto alive = alive_;
  const bool io_first = io_first_;  // of this suspension: an event may bring about the next
  for (const bool first : {true, false}) {
    for (Event& event : held) {
      const bool is_io = event.timer == 0;
      if ((is_io == io_first) != first) continue;
      run({.timer = event.timer, .act = std::move(event.act)});  // or holds it again: see there
      if (!*alive) return;
    }
  }
}

void NodeLoop::run(Event event) {
  if (stopped_) {
    held_.push_back(std::move(event));
  } else if (event.timer != 0) {
    fire(event.timer);
  } else {
    turn(event.act);
  }
}

void NodeLoop::fire(TimerId timer) {
  const auto fired = timers_.extract(timer);
  if (!fired.empty()) turn(fired.mapped().fire);  // else stopped while it was held
}

void NodeLoop::turn(const std::function<void()>& act) {
  const auto alive = alive_;  // a process may bring about its own death
  in_turn_ = true;
  act();
  // By index, and moved out before the call: tasks defer tasks.
  for (std::size_t next = 0; *alive && next < deferred_.size(); ++next) {
    const auto task = std::move(deferred_[next]);
    task();
  }
  if (!*alive) return;
  deferred_.clear();
  in_turn_ = false;
}

}  // namespace sluice::sim
