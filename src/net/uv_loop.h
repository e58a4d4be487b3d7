// The real event loop. This folder is the only one that includes uv.h, and its headers for others do not.
#pragma once

#include <functional>
#include <memory>

#include "base/loop.h"

namespace sluice::net {

/// Loop on libuv. now() is the real monotonic time, read once a turn; outside run() it is read each time.
/// wall_now() reads the real-time clock. Making a loop ignores SIGPIPE for the whole process: a peer that
/// went away is an error of the write, not a reason to die.
class UvLoop final : public Loop {
 public:
  UvLoop();
  /// Everything that uses the loop must be gone before, except what timers and tasks hold: these are dropped
  /// uncalled.
  ~UvLoop() override;
  UvLoop(const UvLoop&) = delete;
  UvLoop& operator=(const UvLoop&) = delete;

  [[nodiscard]] const Clock& clock() const override;
  TimerId start_timer(Duration after, std::function<void()> fire) override;
  void stop_timer(TimerId timer) override;
  void defer(std::function<void()> task) override;

  /// Runs until stop(), even with nothing to wait for; ends with the turn then under way and what it
  /// deferred. May be called again. Not from a callback.
  void run();
  /// From a callback, or before run(), which then returns without a turn.
  void stop();

  /// Calls `handle` from the loop on every delivery of `signal` (SIGTERM, SIGHUP, …) until the loop ends.
  void on_signal(int signal, std::function<void()> handle);

  struct Impl;
  /// For the other files of net/.
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace sluice::net
