// The two clocks of one machine: they drift from true time, and the wall clock is stepped now and then.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "base/time.h"
#include "sim/core/timeline.h"

namespace sluice::sim {

struct ClockFault {
  std::int64_t drift_ppm = 0;  ///< how much faster both clocks run than true time; negative: slower;
                               ///< within ±500'000
  Duration wall_offset{};      ///< of the wall clock from true civil time, when the world begins
  Duration uptime{};           ///< what the monotonic clock shows when the world begins
};

/// True civil time when every world begins: 2027-01-15T08:00:00Z plus what the world draws.
inline constexpr WallTime kEpoch{std::chrono::seconds{1'800'000'000}};

class NodeClock final : public Clock {
 public:
  /// `timeline` must outlive the clock.
  NodeClock(const Timeline& timeline, const ClockFault& fault);

  [[nodiscard]] Instant now() const override;
  [[nodiscard]] WallTime wall_now() const override;

  /// As ntpd does, or an operator.
  void step_wall(Duration by) { fault_.wall_offset += by; }
  [[nodiscard]] const ClockFault& fault() const { return fault_; }

  /// How long the timeline must go on for this clock to go on by `local`; rounded up. Below 0
  /// counts as 0, and more than a hundred years as that.
  [[nodiscard]] Duration true_length(Duration local) const;

 private:
  [[nodiscard]] Duration elapsed() const;
  /// Of this clock, in a million of the timeline's nanoseconds.
  [[nodiscard]] std::int64_t rate() const;

  const Timeline& timeline_;
  ClockFault fault_;
};

}  // namespace sluice::sim
