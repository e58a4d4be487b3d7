#include "lease/demand.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "base/time.h"

namespace sluice::lease {
namespace {

constexpr double kFadeMs = 500;
/// Enough to use up a limit of thousands by shares of an eighth, without a pause.
constexpr std::int64_t kBurst = 64;

std::int64_t pace_ms(Duration pace) {
  return std::max<std::int64_t>(1, ceil_milliseconds(pace));
}

/// What one request of so many tokens adds to the rate.
double weight_of(std::int64_t tokens) {
  return static_cast<double>(tokens) * 1000 / kFadeMs;
}

}  // namespace

Millis::Millis(Instant at)
    : value_(static_cast<std::uint32_t>(
          std::chrono::ceil<std::chrono::milliseconds>(at.time_since_epoch()).count())) {}

Millis Millis::plus(std::int64_t milliseconds) const {
  Millis result;
  result.value_ = value_ + static_cast<std::uint32_t>(milliseconds);
  return result;
}

double Demand::per_second(Millis now, std::int64_t excluded) const {
  const std::int64_t elapsed = now.since(last_);
  double rate = rate_;
  // Most calls come in the same millisecond as the one before. Negative: the milliseconds wrapped meanwhile.
  if (elapsed != 0 && rate_ != 0) {
    rate = elapsed < 0 ? 0 : rate_ * std::exp(-static_cast<double>(elapsed) / kFadeMs);
  }
  return std::max(0.0, rate - weight_of(excluded));
}

void Demand::note(std::int64_t cost, Millis now) {
  rate_ = static_cast<float>(per_second(now) + weight_of(cost));
  last_ = now;
}

Duration AskBudget::wait(Millis now, Duration pace) const {
  const std::int64_t used = full_at_.since(now);
  const std::int64_t over = used - (kBurst - 1) * pace_ms(pace);
  return std::chrono::milliseconds(std::clamp<std::int64_t>(over, 0, pace_ms(pace)));
}

void AskBudget::spend(Millis now, Duration pace) {
  const std::int64_t used = std::max<std::int64_t>(0, full_at_.since(now)) + pace_ms(pace);
  // Never further than one pace beyond the burst: what was asked while nobody minded must not be paid for
  // later.
  full_at_ = now.plus(std::min(used, kBurst * pace_ms(pace)));
}

}  // namespace sluice::lease
