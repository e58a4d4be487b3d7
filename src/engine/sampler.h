// Picks some of many, at random distances, so that no rhythm of the traffic escapes it.
#pragma once

#include <cstdint>

namespace sluice::engine {

/// Costs a decrement for those that are not picked. Its numbers follow from the seed: good enough for
/// statistics.
class Sampler {
 public:
  void seed(std::uint64_t seed) { state_ = seed; }
  /// One in `one_in` ≥ 1 on average, from the next pick on.
  void set(std::uint32_t one_in) { one_in_ = one_in; }

  /// For how many the present one stands; 0: it is not picked.
  [[nodiscard]] std::uint32_t next() {
    if (--left_ > 0) return 0;
    const std::uint32_t stands_for = drawn_of_;
    drawn_of_ = one_in_;
    // Distances of 1 … 2n − 1, all equally likely: n on average.
    state_ = state_ * kMultiplier + kIncrement;
    left_ = static_cast<std::uint32_t>((state_ >> 32U) % (2ULL * one_in_ - 1)) + 1;
    return stands_for;
  }

 private:
  // Knuth's linear congruential generator, whose upper bits are the good ones.
  static constexpr std::uint64_t kMultiplier = 6364136223846793005ULL;
  static constexpr std::uint64_t kIncrement = 1442695040888963407ULL;

  std::uint64_t state_ = 0;
  std::uint32_t one_in_ = 16;
  std::uint32_t drawn_of_ = 1;  ///< one_in_ when left_ was drawn
  std::uint32_t left_ = 1;
};

}  // namespace sluice::engine
