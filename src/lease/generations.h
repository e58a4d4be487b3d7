// The last few histories of the store's data, by small numbers.
#pragma once

#include <array>
#include <cstddef>

#include "lease/grant.h"
#include "lease/stock.h"

namespace sluice::lease {

/// Bound: kKept. Lots of an older history are long gone when its number is used again: they live for a ttl.
class Generations {
 public:
  [[nodiscard]] GenerationIndex index_of(Generation generation) {
    if (kept_[newest_] != generation) {
      newest_ = static_cast<GenerationIndex>((newest_ + 1) % kKept);
      kept_[newest_] = generation;
    }
    return newest_;
  }
  [[nodiscard]] Generation operator[](GenerationIndex index) const { return kept_[index]; }

 private:
  static constexpr std::size_t kKept = 256;
  std::array<Generation, kKept> kept_{};
  GenerationIndex newest_ = 0;
};

}  // namespace sluice::lease
