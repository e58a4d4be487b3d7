#include "sim/check/excuse_sums.h"

#include <algorithm>  // NOLINT(misc-include-cleaner): it does declare ranges::lower_bound
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/time.h"
#include "sim/check/limits.h"
#include "sim/core/timeline.h"

namespace sluice::sim {

ExcuseSums::ExcuseSums(std::span<const Excuse> excuses, Duration reach)
    : excuses_(excuses), sums_{0}, reach_(reach) {
  sums_.reserve(excuses.size() + 1);
  for (const Excuse& excuse : excuses) sums_.push_back(sums_.back() + excuse.tokens);
}

std::int64_t ExcuseSums::before(SimTime end) const {
  const auto first_not = std::ranges::lower_bound(excuses_, end, {}, &Excuse::at);
  return sums_[static_cast<std::size_t>(first_not - excuses_.begin())];
}

}  // namespace sluice::sim
