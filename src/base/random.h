// The seam for randomness: hash secrets, jitter, ids. The simulation seeds it.
#pragma once

#include <cstdint>

namespace sluice {

class Random {
 public:
  virtual ~Random() = default;
  /// 64 uniform bits.
  [[nodiscard]] virtual std::uint64_t next() = 0;
};

}  // namespace sluice
