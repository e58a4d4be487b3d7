// Runs seeds in processes of their own: a seed that kills one is a result like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/runner/summary.h"

namespace sluice::sim {

struct Progress {
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
};

/// All of `seeds`, in `jobs` processes; `told` is called after each. `stop_after` failures it begins no more.
[[nodiscard]] Summary run_seeds(const std::vector<std::uint64_t>& seeds, std::size_t jobs,
                                std::size_t stop_after, const std::function<void(const Progress&)>& told);

}  // namespace sluice::sim
