#include "base/steady_wall.h"

#include <algorithm>

#include "base/time.h"

namespace sluice {

WallTime SteadyWall::advance(Instant monotonic, WallTime wall) {
  if (!started_) {
    started_ = true;
    last_ = wall;
  } else {
    const Duration elapsed = std::max(Duration::zero(), monotonic - last_monotonic_);
    last_ = std::max(wall, last_ + elapsed / 2);
  }
  last_monotonic_ = std::max(last_monotonic_, monotonic);
  return last_;
}

}  // namespace sluice
