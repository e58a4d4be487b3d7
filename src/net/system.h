// The operating system's randomness.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.h"

namespace sluice::net {

/// From getrandom(2), buffered. Not to be carried across a fork: both sides would see the same numbers.
class SystemRandom final : public Random {
 public:
  [[nodiscard]] std::uint64_t next() override;

 private:
  /// 256 bytes: the most that getrandom gives without being interrupted by signals.
  static constexpr std::size_t kWords = 32;
  std::array<std::uint64_t, kWords> words_{};
  std::size_t left_ = 0;
};

}  // namespace sluice::net
