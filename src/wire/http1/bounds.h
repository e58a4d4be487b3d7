// Bounds that can be summed.
#pragma once

#include <algorithm>
#include <cstddef>

#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {

/// Bounds beyond this mean this, so that sums of them cannot overflow.
inline constexpr std::size_t kLargestBound = std::size_t{1} << 30U;

[[nodiscard]] inline HttpBounds tamed(const HttpBounds& bounds) {
  return {.max_header_bytes = std::min(bounds.max_header_bytes, kLargestBound),
          .max_headers = std::min(bounds.max_headers, kLargestBound),
          .max_body_bytes = std::min(bounds.max_body_bytes, kLargestBound)};
}

}  // namespace sluice::wire::http1
