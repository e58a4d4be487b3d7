// Drawing from a seed.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "base/time.h"

namespace sluice::sim {

/// SplitMix64. Nothing in here needs the mathematical library, whose last bits differ between machines: a
/// seed draws the same everywhere. Each part of the world draws from a fork of its own, so that one more draw
/// in one of them does not change all others.
class Draw final : public Random {
 public:
  explicit Draw(std::uint64_t seed) : seed_(seed), state_(seed) {}

  [[nodiscard]] std::uint64_t next() override;
  /// A generator that depends on this one's seed and on `purpose`, not on what was drawn from it.
  [[nodiscard]] Draw fork(std::uint64_t purpose) const;

  [[nodiscard]] std::uint64_t below(std::uint64_t bound);                     ///< [0, bound), bound ≥ 1
  [[nodiscard]] std::int64_t between(std::int64_t least, std::int64_t most);  ///< both ends included
  [[nodiscard]] Duration between(Duration least, Duration most);              ///< both ends included
  /// Every order of magnitude as likely as any other; 0 < least ≤ most.
  [[nodiscard]] std::int64_t log_between(std::int64_t least, std::int64_t most);
  [[nodiscard]] Duration log_between(Duration least, Duration most);
  [[nodiscard]] bool one_in(std::uint64_t n) { return below(n) == 0; }
  [[nodiscard]] bool chance(double probability);
  template <class T>
  [[nodiscard]] const T& of(std::span<const T> choices) {
    return choices[below(choices.size())];
  }
  /// Waiting time of a Poisson process; at most 20 × mean.
  [[nodiscard]] Duration exponential(Duration mean);

 private:
  std::uint64_t seed_;
  std::uint64_t state_;
};

}  // namespace sluice::sim
