// Products that 64 bits do not hold, for comparing fractions without rounding.
#pragma once

#include <cstdint>

#include "base/assert.h"

namespace sluice::sim {

__extension__ using Wide = __int128;

/// Asserts that it fits.
[[nodiscard]] inline Wide times(Wide a, Wide b) {
  Wide product = 0;
  SLUICE_ASSERT(!__builtin_mul_overflow(a, b, &product));
  return product;
}

/// Of b > 0; rounds towards larger numbers, also below 0.
[[nodiscard]] constexpr Wide ceil_of(Wide a, Wide b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

[[nodiscard]] inline std::int64_t narrow(Wide value) {
  const auto narrowed = static_cast<std::int64_t>(value);
  SLUICE_ASSERT(narrowed == value);
  return narrowed;
}

}  // namespace sluice::sim
