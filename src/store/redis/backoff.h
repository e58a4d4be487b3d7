// How long to wait before the next attempt.
#pragma once

#include "base/random.h"
#include "base/time.h"

namespace sluice::store::redis {

/// Doubles from `first` to `last`; each wait is a random half to whole of it, so that a fleet that lost its
/// server at one moment does not come back at one moment.
class Backoff {
 public:
  /// `random` must outlive it. 0 < first ≤ last.
  Backoff(Random& random, Duration first, Duration last);

  [[nodiscard]] Duration next();
  void reset() { step_ = first_; }

 private:
  Random& random_;
  Duration first_;
  Duration last_;
  Duration step_;
};

}  // namespace sluice::store::redis
