// Civil time that never goes back.
#pragma once

#include "base/time.h"

namespace sluice {

/// The wall clock steps: an administrator sets it, NTP corrects it, a virtual machine resumes. A limiter that
/// follows a step back would refill twice; one that freezes until the clock catches up would starve for an
/// hour after an hour's step. This one follows forward steps at once, and after a step back runs at half
/// speed, by the monotonic clock, until civil time has caught up. So it is never early, and late by no more
/// than the step.
class SteadyWall {
 public:
  /// One reading of both clocks gives the time to use; results never decrease.
  WallTime advance(Instant monotonic, WallTime wall);

 private:
  bool started_ = false;
  Instant last_monotonic_{};
  WallTime last_{};
};

}  // namespace sluice
