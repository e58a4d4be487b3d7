#include "engine/throttle_limits.h"

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "rules/policy.h"

namespace sluice::engine {
namespace {

constexpr std::string_view kPlain = "@cl:";
constexpr std::string_view kHashed = "@cl#";

}  // namespace

std::string throttle_key(std::string_view key) {
  if (key.size() <= rules::kMaxPlainKey) return std::string(kPlain).append(key);
  const Sha256 digest = sha256(key);
  std::string out(kHashed);
  out.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return out;
}

std::optional<std::string_view> throttle_name(std::string_view counter) {
  if (!counter.starts_with(kPlain)) return std::nullopt;
  return counter.substr(kPlain.size());
}

Result<std::shared_ptr<const limiter::Limit>> ThrottleLimits::get(const ThrottleNumbers& numbers) {
  if (const auto found = limits_.find(numbers); found != limits_.end()) return found->second;
  if (numbers.max_burst < 0 || numbers.max_burst >= limiter::kMaxInteger) {
    return failure("max_burst is out of range: 0 to 9007199254740990");
  }
  if (numbers.count < 1) return failure("count must be at least 1: zero rates are not supported");
  if (numbers.period_s < 1) return failure("period must be at least 1 second: zero rates are not supported");
  if (numbers.period_s > Duration::max() / std::chrono::seconds{1}) {
    return failure("period is too long");
  }
  limiter::LimitSpec spec;
  spec.algorithm = limiter::Algorithm::token_bucket;
  spec.count = numbers.count;
  spec.period = std::chrono::seconds{numbers.period_s};
  spec.burst = numbers.max_burst + 1;
  auto limit = limiter::Limit::make(spec);
  if (!limit) return std::unexpected(limit.error());
  if (limits_.size() >= kMax) limits_.clear();
  auto shared = std::make_shared<const limiter::Limit>(*limit);
  limits_.emplace(numbers, shared);
  return shared;
}

}  // namespace sluice::engine
