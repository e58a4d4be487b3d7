// The seam for time. Whoever needs "now" gets a Clock or, better, the reading itself as an argument.
#pragma once

#include "base/time.h"

namespace sluice {

class Clock {
 public:
  virtual ~Clock() = default;
  /// Never goes back. Used for timeouts, lease ends and rates.
  [[nodiscard]] virtual Instant now() const = 0;
  /// The same where now() is cached (see Loop::clock), read anew: for measuring what takes part of a turn.
  [[nodiscard]] virtual Instant precise_now() const { return now(); }
  /// May step in either direction: see SteadyWall for what to do about that.
  [[nodiscard]] virtual WallTime wall_now() const = 0;
};

}  // namespace sluice
