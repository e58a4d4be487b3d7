#include "sim/core/draw.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/assert.h"
#include "base/time.h"
#include "support/split_mix.h"

namespace sluice::sim {
namespace {

using test::split_mix;
constexpr std::uint64_t kStep = test::kSplitMixStep;

/// [0, 1), from the upper 53 bits.
double fraction(std::uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

}  // namespace

std::uint64_t Draw::next() {
  state_ += kStep;
  return split_mix(state_);
}

Draw Draw::fork(std::uint64_t purpose) const {
  // Mixed twice, so that neither neighbouring seeds nor neighbouring purposes share a sequence.
  return Draw(split_mix(split_mix(seed_ + kStep) ^ split_mix(purpose - kStep)));
}

std::uint64_t Draw::below(std::uint64_t bound) {
  SLUICE_ASSERT(bound >= 1);
  // As many of the 2^64 values as would favour the small results are drawn again.
  const std::uint64_t surplus = (std::uint64_t{0} - bound) % bound;
  std::uint64_t bits = next();
  while (bits < surplus) bits = next();
  return bits % bound;
}

std::int64_t Draw::between(std::int64_t least, std::int64_t most) {
  SLUICE_ASSERT(least <= most);
  // Unsigned throughout: the distance of two int64 may be greater than any int64.
  const auto from = static_cast<std::uint64_t>(least);
  const std::uint64_t count = static_cast<std::uint64_t>(most) - from + 1;
  return static_cast<std::int64_t>(from + (count == 0 ? next() : below(count)));
}

Duration Draw::between(Duration least, Duration most) {
  return Duration{between(least.count(), most.count())};
}

std::int64_t Draw::log_between(std::int64_t least, std::int64_t most) {
  SLUICE_ASSERT(0 < least && least <= most);
  // Each bit chooses a half of what is left, halved by ratio. Square roots are exact to the last bit on every
  // machine, logarithms are not.
  constexpr int kHalvings = 48;
  auto low = static_cast<double>(least);
  auto high = static_cast<double>(most);
  std::uint64_t bits = next();
  for (int i = 0; i < kHalvings; ++i, bits >>= 1U) {
    const double middle = std::sqrt(low) * std::sqrt(high);
    ((bits & 1U) != 0 ? low : high) = middle;
  }
  // Far below the end of int64, where doubles would round up to beyond it.
  const double result = std::min(std::round(low), 0x1p62);
  return std::clamp(static_cast<std::int64_t>(result), least, most);
}

Duration Draw::log_between(Duration least, Duration most) {
  return Duration{log_between(least.count(), most.count())};
}

bool Draw::chance(double probability) {
  return fraction(next()) < probability;
}

Duration Draw::exponential(Duration mean) {
  SLUICE_ASSERT(mean >= Duration::zero());
  // Von Neumann's way, by comparisons alone: a descending run of odd length that begins with x comes with
  // probability e^-x; each one of even length adds a whole mean and starts again.
  constexpr int kMostMeans = 20;
  for (int means = 0; means < kMostMeans; ++means) {
    const std::uint64_t first = next();
    std::uint64_t last = first;
    int length = 1;
    for (std::uint64_t bits = next(); bits < last; bits = next(), ++length) last = bits;
    if (length % 2 == 0) continue;
    const double part = fraction(first) * static_cast<double>(mean.count());
    return mean * means + Duration{static_cast<std::int64_t>(part)};
  }
  return mean * kMostMeans;
}

}  // namespace sluice::sim
