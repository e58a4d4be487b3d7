#include "net/uv_loop.h"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGPIPE is POSIX, not C++
#include <uv.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "base/loop.h"
#include "base/time.h"
#include "net/timer_queue.h"
#include "net/uv_loop_impl.h"

namespace sluice::net {
namespace {

UvLoop::Impl& impl_of(void* data) {
  return *static_cast<UvLoop::Impl*>(data);
}

uv_handle_t* as_handle(auto* handle) {
  return reinterpret_cast<uv_handle_t*>(handle);
}

/// The first libuv time, in whole milliseconds, that is not before `at`.
std::uint64_t ceil_to_milliseconds(Instant at) {
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch());
  const auto up = whole < at.time_since_epoch() ? 1 : 0;
  return static_cast<std::uint64_t>(whole.count() + up);
}

}  // namespace

Instant TurnClock::read() {
  return Instant{Duration{static_cast<Duration::rep>(uv_hrtime())}};
}

Instant TurnClock::now() const {
  if (caching_ == Caching::off) return read();
  if (!reading_) reading_ = read();
  return *reading_;
}

WallTime TurnClock::wall_now() const {
  return std::chrono::system_clock::now();
}

void TurnClock::set_caching(Caching caching) {
  caching_ = caching;
  forget_reading();
}

UvLoop::Impl::Impl() {
  ::signal(SIGPIPE, SIG_IGN);
  SLUICE_ASSERT(uv_loop_init(&loop) == 0);
  loop.data = this;
  uv_prepare_init(&loop, &before_wait);
  uv_check_init(&loop, &after_wait);
  uv_timer_init(&loop, &alarm);
  // Prepare callbacks come between timers and waiting, check callbacks after I/O. Emptying the task queue in
  // both means that a task never waits for I/O, wherever it was deferred. Both also end a reading of the
  // clock: the wait lies between them.
  uv_prepare_start(&before_wait, [](uv_prepare_t* handle) {
    auto& self = impl_of(handle->loop->data);
    self.run_tasks();
    self.clock.forget_reading();
    uv_update_time(&self.loop);  // callbacks took time, by which the wait for the next timer is shorter
    if (self.stop_requested) uv_stop(&self.loop);  // makes this turn not wait
  });
  uv_check_start(&after_wait, [](uv_check_t* handle) {
    auto& self = impl_of(handle->loop->data);
    self.run_tasks();
    self.clock.forget_reading();
  });
}

UvLoop::Impl::~Impl() {
  // What callbacks hold may be streams and timers of this loop, so it goes while the loop still works.
  while (!tasks.empty() || timers.earliest()) {
    const auto dropped_tasks = std::exchange(tasks, {});
    const auto dropped_timers = std::exchange(timers, {});
  }
  const auto close_if_open = [](uv_handle_t* handle, void*) {
    if (uv_is_closing(handle) == 0) uv_close(handle, nullptr);
  };
  uv_walk(&loop, close_if_open, nullptr);
  uv_run(&loop, UV_RUN_DEFAULT);
  SLUICE_ASSERT(uv_loop_close(&loop) == 0);
}

void UvLoop::Impl::run() {
  clock.set_caching(TurnClock::Caching::on);
  while (!stop_requested) {
    // libuv may run timers last in one turn and first in the next, with nothing of ours between.
    clock.forget_reading();
    uv_run(&loop, UV_RUN_ONCE);
  }
  run_tasks();
  stop_requested = false;
  clock.set_caching(TurnClock::Caching::off);
}

void UvLoop::Impl::run_tasks() {
  // By index, and moved out before the call: tasks append tasks.
  std::size_t next = 0;
  while (next < tasks.size()) {
    const auto task = std::move(tasks[next++]);
    task();
  }
  tasks.clear();
}

TimerId UvLoop::Impl::start_timer(Duration after, std::function<void()> fire) {
  // From the real time, not that of the turn: a timer set late in a long turn must not be early.
  const Instant now = TurnClock::read();
  const Duration wait = std::clamp(after, Duration{0}, Instant::max() - now);
  const TimerId timer = timers.add(now + wait, std::move(fire));
  if (ceil_to_milliseconds(now + wait) < alarm_ms) set_alarm();
  return timer;
}

void UvLoop::Impl::set_alarm() {
  const auto earliest = timers.earliest();
  if (!earliest) return;
  // libuv counts from its own cached time, so the delay is what lies between that and the moment wanted. At
  // least 1 ms: 0 would ring within the pass that now runs.
  const std::uint64_t cached_ms = uv_now(&loop);
  alarm_ms = std::max(ceil_to_milliseconds(*earliest), cached_ms + 1);
  const auto ring = [](uv_timer_t* handle) { impl_of(handle->loop->data).fire_timers(); };
  uv_timer_start(&alarm, ring, alarm_ms - cached_ms, 0);
}

void UvLoop::Impl::fire_timers() {
  alarm_ms = kUnset;
  const Instant now = clock.now();
  const TimerId newest = timers.newest();
  while (const auto fire = timers.take_due(now, newest)) fire();
  set_alarm();
}

UvLoop::UvLoop() : impl_(std::make_unique<Impl>()) {}
UvLoop::~UvLoop() = default;

const Clock& UvLoop::clock() const {
  return impl_->clock;
}

TimerId UvLoop::start_timer(Duration after, std::function<void()> fire) {
  SLUICE_ASSERT(fire != nullptr);
  return impl_->start_timer(after, std::move(fire));
}

void UvLoop::stop_timer(TimerId timer) {
  impl_->timers.remove(timer);
}

void UvLoop::defer(std::function<void()> task) {
  SLUICE_ASSERT(task != nullptr);
  impl_->tasks.push_back(std::move(task));
}

void UvLoop::run() {
  impl_->run();
}
void UvLoop::stop() {
  impl_->stop_requested = true;
}

void UvLoop::on_signal(int signal, std::function<void()> handle) {
  auto& added = *impl_->signals.emplace_back(std::make_unique<Impl::Signal>());
  added.handle_signal = std::move(handle);
  added.handle.data = &added;
  SLUICE_ASSERT(uv_signal_init(&impl_->loop, &added.handle) == 0);
  const auto deliver = [](uv_signal_t* from, int) {
    static_cast<Impl::Signal*>(from->data)->handle_signal();
  };
  SLUICE_ASSERT(uv_signal_start(&added.handle, deliver, signal) == 0);
}

}  // namespace sluice::net
