#include "limiter/limit_table.h"

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/assert.h"
#include "limiter/limit.h"

namespace sluice::limiter {

std::size_t LimitTable::Hash::operator()(const Limit& limit) const {
  // Not for strangers to choose collisions in: limits come from the configuration, or from CL.THROTTLE
  // through a bounded cache. Equality does the rest.
  std::size_t hash = 0;
  for (const std::int64_t part : {limit.capacity(), limit.count(), limit.period().count(), limit.tick_us(),
                                  static_cast<std::int64_t>(limit.algorithm())}) {
    hash = hash * 1099511628211U ^ std::hash<std::int64_t>{}(part);
  }
  return hash;
}

LimitId LimitTable::acquire(const Limit& limit) {
  const auto [found, inserted] = ids_.try_emplace(limit, 0);
  if (inserted) {
    if (free_.empty()) {
      free_.push_back(static_cast<LimitId>(slots_.size()));
      slots_.emplace_back();
    }
    found->second = free_.back();
    free_.pop_back();
    slots_[found->second] = {.limit = &found->first, .uses = 0};
  }
  ++slots_[found->second].uses;
  return found->second;
}

void LimitTable::release(LimitId id) {
  Slot& slot = slots_[id];
  SLUICE_ASSERT(slot.uses > 0);
  if (--slot.uses > 0) return;
  ids_.erase(ids_.find(*slot.limit));
  slot = {};
  free_.push_back(id);
}

}  // namespace sluice::limiter
