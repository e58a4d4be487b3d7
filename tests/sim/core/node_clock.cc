#include "sim/core/node_clock.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "base/assert.h"
#include "base/time.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMostDrift = 500'000;
constexpr Duration kLongest = std::chrono::hours{100 * 365 * 24};

/// ⌊count × by / per⌋ and ⌈…⌉ without overflow in between; count ≥ 0, by and per of a million's magnitude.
std::int64_t scaled_down(std::int64_t count, std::int64_t by, std::int64_t per) {
  return count / per * by + count % per * by / per;
}

std::int64_t scaled_up(std::int64_t count, std::int64_t by, std::int64_t per) {
  return count / per * by + (count % per * by + per - 1) / per;
}

}  // namespace

NodeClock::NodeClock(const Timeline& timeline, const ClockFault& fault) : timeline_(timeline), fault_(fault) {
  SLUICE_ASSERT(std::abs(fault.drift_ppm) <= kMostDrift);
}

std::int64_t NodeClock::rate() const {
  return kMillion + fault_.drift_ppm;
}

Duration NodeClock::elapsed() const {
  return Duration{scaled_down(timeline_.now().count(), rate(), kMillion)};
}

Instant NodeClock::now() const {
  return Instant{fault_.uptime + elapsed()};
}

WallTime NodeClock::wall_now() const {
  return kEpoch + fault_.wall_offset + elapsed();
}

Duration NodeClock::true_length(Duration local) const {
  if (local <= Duration::zero()) return Duration::zero();
  const Duration target = elapsed() + std::min(local, kLongest);
  // The first moment at which elapsed() is the target: that is not the length scaled alone, because what
  // elapsed() rounded off by now counts as well.
  return Duration{scaled_up(target.count(), kMillion, rate())} - timeline_.now();
}

}  // namespace sluice::sim
