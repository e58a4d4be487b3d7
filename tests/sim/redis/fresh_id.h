// Names that servers give to themselves and to their histories.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/core/draw.h"

namespace sluice::sim {

/// 40 hexadecimal digits: a node's id, a replication id.
[[nodiscard]] inline std::string fresh_id(Draw& draw) {
  constexpr std::size_t kLength = 40;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id;
  while (id.size() < kLength) id += kDigits[draw.below(kDigits.size())];
  return id;
}

}  // namespace sluice::sim
