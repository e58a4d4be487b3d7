// One key of the memory store.
#pragma once

#include <cstddef>
#include <string_view>

#include "limiter/limit_table.h"
#include "limiter/limiter.h"

namespace sluice::store {

struct MemoryEntry {
  limiter::State state;
  limiter::LimitId limit = 0;  ///< the limit that `state` was computed with
  std::size_t heap_index = 0;  ///< kept by ExpiryHeap
  std::string_view key;        ///< into the table's own key; stable as long as the entry
};

}  // namespace sluice::store
