#include "limiter/token_bucket.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "base/assert.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "limiter/ticks.h"

namespace sluice::limiter {
namespace {

/// Wide enough for missing × units; when the configuration changes only.
__extension__ using Wide = __int128;

/// Ticks until `units` have flowed in. Nothing flows into a bucket whose limit is 0.
std::int64_t ticks_to_refill(std::int64_t units, const Limit& limit) {
  if (units == 0) return 0;
  return limit.units_per_tick() == 0 ? kForeverUs : ceil_div(units, limit.units_per_tick());
}

}  // namespace

TokenBucket::TokenBucket(const Limit& limit, const State& state, WallTime now)
    : limit_(limit),
      tick_(floor_us(now) / limit.tick_us()),
      next_tick_(ceil_div(ceil_us(now), limit.tick_us())) {
  if (std::holds_alternative<std::monostate>(state)) return;
  SLUICE_ASSERT(std::holds_alternative<BucketState>(state));
  const auto& bucket = std::get<BucketState>(state);
  SLUICE_ASSERT(bucket.missing >= 0 && bucket.missing <= kMaxInteger);
  // A clock that stepped back refills nothing until it has caught up.
  tick_ = std::max(tick_, bucket.at_tick);
  next_tick_ = std::max(next_tick_, tick_);
  const std::int64_t elapsed = tick_ - bucket.at_tick;
  // Compared before it is multiplied: after a long idle time the product would not fit.
  if (elapsed < ticks_to_refill(bucket.missing, limit)) {
    missing_ = bucket.missing - elapsed * limit.units_per_tick();
  }
}

std::int64_t TokenBucket::available() const {
  // A lowered limit may leave more missing than there is room for.
  return std::max(std::int64_t{0}, limit_.capacity() * limit_.units_per_token() - missing_) /
         limit_.units_per_token();
}

bool TokenBucket::fits(std::int64_t cost) const {
  return cost <= limit_.capacity() && missing_ <= (limit_.capacity() - cost) * limit_.units_per_token();
}

std::int64_t TokenBucket::moment_without(std::int64_t units) const {
  const std::int64_t ticks = ticks_to_refill(units, limit_);
  return ticks > kForeverUs - tick_ ? kForeverUs : begin_of_tick(tick_ + ticks, limit_.tick_us());
}

std::int64_t TokenBucket::fits_at(std::int64_t cost) const {
  return moment_without(missing_ - (limit_.capacity() - cost) * limit_.units_per_token());
}

std::optional<std::int64_t> TokenBucket::full_at() const {
  if (missing_ == 0) return std::nullopt;
  return moment_without(missing_);
}

std::int64_t TokenBucket::consumed() const {
  return ceil_div(missing_, limit_.units_per_token());
}

// The level is evaluated at the last tick that has begun, and refill goes on from there. But if the bucket is
// full, or would be within this tick, then what has passed of the tick may have refilled nothing: refill
// starts at the next tick. So the level is never above that of a bucket in continuous time, however coarse
// the ticks, and no interval admits more than burst + rate × its length. To do this for full buckets only is
// not enough, as the property test found.
void TokenBucket::debit(std::int64_t cost) {
  if (missing_ < limit_.units_per_tick()) tick_ = next_tick_;
  missing_ += cost * limit_.units_per_token();
  SLUICE_ASSERT(missing_ <= kMaxInteger);
}

std::int64_t TokenBucket::credit(std::int64_t tokens, std::optional<WallTime> /*debited_at*/, State& state) {
  const std::int64_t back = std::min(tokens, consumed());
  if (back == 0) return 0;
  missing_ = back == consumed() ? 0 : missing_ - back * limit_.units_per_token();
  save(state);
  return back;
}

void TokenBucket::save(State& state) const {
  if (missing_ == 0) {
    state = std::monostate{};
  } else {
    state = BucketState{.missing = missing_, .at_tick = tick_};
  }
}

State TokenBucket::holding(const Limit& limit, WallTime now, std::int64_t consumed) {
  // More than can be represented is more than the capacity: it heals late, if not as late as it should.
  const std::int64_t tokens = std::min(consumed, kMaxInteger / limit.units_per_token());
  return BucketState{.missing = tokens * limit.units_per_token(),
                     .at_tick = ceil_div(ceil_us(now), limit.tick_us())};
}

State TokenBucket::carried_to(const Limit& to, WallTime now) const {
  if (missing_ == 0) return {};
  const Wide units =
      (Wide{missing_} * to.units_per_token() + limit_.units_per_token() - 1) / limit_.units_per_token();
  // Up to tick_ it was refilled at the old rate; the new one starts no earlier than now.
  const std::int64_t from_us = std::max(ceil_us(now), begin_of_tick(tick_, limit_.tick_us()));
  return BucketState{.missing = static_cast<std::int64_t>(std::min(units, Wide{kMaxInteger})),
                     .at_tick = ceil_div(from_us, to.tick_us())};
}

}  // namespace sluice::limiter
