// The seam for the event loop: one thread, callbacks run one at a time, none may block.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"

namespace sluice {

/// Names a started timer; 0 names none.
using TimerId = std::uint64_t;

class Loop {
 public:
  virtual ~Loop() = default;

  /// The clock of this loop. Its monotonic reading may be cached for the length of one turn.
  [[nodiscard]] virtual const Clock& clock() const = 0;

  /// Runs `fire` once, not earlier than `after` from now (rounded up to the loop's resolution, 1 ms or
  /// finer). A timer started from a timer's callback never fires in the same turn.
  virtual TimerId start_timer(Duration after, std::function<void()> fire) = 0;

  /// A stopped timer never fires. Stopping a timer that fired, or 0, does nothing.
  virtual void stop_timer(TimerId timer) = 0;

  /// Runs `task` once in this turn after the callbacks now under way, before the loop waits for I/O.
  /// Tasks run in the order given; one that defers another sees it run in the same turn.
  virtual void defer(std::function<void()> task) = 0;
};

}  // namespace sluice
