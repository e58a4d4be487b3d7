#include "sim/check/seconds.h"

#include <chrono>
#include <cstdint>
#include <string>

#include "sim/core/timeline.h"

namespace sluice::sim {

std::string seconds(SimTime t) {
  const std::int64_t ms = std::chrono::floor<std::chrono::milliseconds>(t).count();
  const std::int64_t size = ms < 0 ? -ms : ms;
  const std::string digits = std::to_string(size % 1000 + 1000).substr(1);  // with its leading zeros
  return (ms < 0 ? "-" : "") + std::to_string(size / 1000) + "." + digits + " s";
}

}  // namespace sluice::sim
