// SplitMix64: the same numbers in every run.
#pragma once

#include <cstdint>

namespace sluice::test {

/// What is added for each number.
inline constexpr std::uint64_t kSplitMixStep = 0x9E37'79B9'7F4A'7C15;

/// The constants are those of Steele, Lea and Flood, 2014.
[[nodiscard]] constexpr std::uint64_t split_mix(std::uint64_t bits) {
  bits = (bits ^ bits >> 30U) * 0xBF58'476D'1CE4'E5B9;
  bits = (bits ^ bits >> 27U) * 0x94D0'49BB'1331'11EB;
  return bits ^ bits >> 31U;
}

}  // namespace sluice::test
