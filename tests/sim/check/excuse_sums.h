// How many tokens of a list of excuses count for an interval.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"
#include "sim/check/limits.h"
#include "sim/core/timeline.h"

namespace sluice::sim {

/// An excuse counts for an interval [a, b] if it lies in [a − reach, b]. As a ≤ b, what does not count lies
/// either before a − reach or after b, never both: so the sum is a part that depends on b alone less a part
/// that depends on a alone, and a search for the worst interval can treat its two ends apart.
class ExcuseSums {
 public:
  /// `excuses` in order of time; it looks into them and must not outlive them.
  ExcuseSums(std::span<const Excuse> excuses, Duration reach);

  /// Tokens at or before `end`, the interval's last moment.
  [[nodiscard]] std::int64_t until(SimTime end) const { return before(end + SimTime{1}); }
  /// Tokens before `end`, the first moment after the interval.
  [[nodiscard]] std::int64_t before(SimTime end) const;
  /// Tokens too old to count for an interval that begins at `begin`.
  [[nodiscard]] std::int64_t expired_at(SimTime begin) const { return before(begin - reach_); }

 private:
  std::span<const Excuse> excuses_;
  std::vector<std::int64_t> sums_;  ///< of the first n excuses
  Duration reach_;
};

}  // namespace sluice::sim
