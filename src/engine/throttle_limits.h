// The limits that CL.THROTTLE callers name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "base/result.h"
#include "limiter/limit.h"

namespace sluice::engine {

/// As redis-cell takes them.
struct ThrottleNumbers {
  std::int64_t max_burst = 0;  ///< capacity − 1; ≥ 0
  std::int64_t count = 0;      ///< tokens per period; ≥ 1
  std::int64_t period_s = 0;   ///< seconds; ≥ 1
  auto operator<=>(const ThrottleNumbers&) const = default;
};

/// Compiling a Limit costs microseconds; an application uses a handful of them, so they are kept.
/// Bound: kMax; when it is reached all are dropped and made anew as they are asked for.
class ThrottleLimits {
 public:
  Result<std::shared_ptr<const limiter::Limit>> get(const ThrottleNumbers& numbers);
  static constexpr std::size_t kMax = 1024;

 private:
  std::map<ThrottleNumbers, std::shared_ptr<const limiter::Limit>> limits_;
};

}  // namespace sluice::engine
