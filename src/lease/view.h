// What can be said of a key from memory. Internal to lease/.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "lease/demand.h"
#include "lease/entry.h"
#include "lease/grant.h"
#include "limiter/limit.h"

namespace sluice::lease {

/// The store gives at most this share of what is left as extra.
inline constexpr std::int64_t kExtraShare = 8;

inline Duration until(Instant at, Instant now) {
  return std::max(at - now, Duration::zero());
}

/// `now` + `after`, for an `after` that may be endless.
inline Instant later(Instant now, Duration after) {
  return after > Instant::max() - now ? Instant::max() : now + after;
}

inline Figures figures_of(const Entry& entry, Instant now) {
  const std::int64_t capacity = entry.terms->limit().capacity();
  const std::int64_t held = std::min(entry.stock.held(now), capacity);
  return {.remaining = std::min(capacity, entry.remaining + held),
          .retry_after = Duration::zero(),
          .reset_after = until(entry.full_at, now)};
}

inline Answer denial(const Entry& entry, Instant now, Duration at_least) {
  Answer answer{.status = Status::denied, .figures = figures_of(entry, now)};
  // A client that is told 0 would take it for a yes.
  answer.figures.retry_after =
      std::max({until(entry.retry_at, now), at_least, Duration{std::chrono::milliseconds{1}}});
  return answer;
}

/// By the store's last word there are not so many, and it is too early to ask again.
inline bool known_empty(const Entry& entry, std::int64_t cost, Millis now) {
  return entry.exhausted && cost > entry.remaining && entry.recheck_at.since(now) > 0;
}

/// Why a request of `cost` tokens, more than are at hand, need not be sent to the store now.
inline std::optional<Answer> known_denial(const Entry& entry, std::int64_t cost, Instant now) {
  const Millis ms{now};
  if (known_empty(entry, cost, ms)) return denial(entry, now, Duration::zero());
  if (entry.contended) {
    const Duration wait = entry.budget.wait(ms, entry.terms->pace());
    if (wait > Duration::zero()) return denial(entry, now, wait);
  }
  return std::nullopt;
}

inline Answer never(std::int64_t remaining, Duration reset_after) {
  return {.status = Status::denied,
          .figures = {.remaining = remaining, .retry_after = kNever, .reset_after = reset_after}};
}

}  // namespace sluice::lease
