// The limits that CL.THROTTLE callers name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// The counter's key for a caller's. Rule names cannot contain '@', so it never meets a rule's.
[[nodiscard]] std::string throttle_key(std::string_view key);
/// The caller's key, a view into the counter's. Nothing: of a long one only a hash is known.
[[nodiscard]] std::optional<std::string_view> throttle_name(std::string_view counter);

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
