#include "limiter/limiter.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>

#include "base/assert.h"
#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/fixed_window.h"
#include "limiter/limit.h"
#include "limiter/sliding_counter.h"
#include "limiter/sliding_log.h"
#include "limiter/ticks.h"
#include "limiter/token_bucket.h"

namespace sluice::limiter {
namespace {

/// Calls `use` with the limit's algorithm, set to `state` as of `now`.
template <class Use>
auto with_algorithm(const Limit& limit, const State& state, WallTime now, Use use) {
  switch (limit.algorithm()) {
    case Algorithm::token_bucket:
      return use(TokenBucket(limit, state, now));
    case Algorithm::fixed_window:
      return use(FixedWindow(limit, state, now));
    case Algorithm::sliding_window_log:
      return use(SlidingLog(limit, state, now));
    case Algorithm::sliding_window_counter:
      return use(SlidingCounter(limit, state, now));
  }
  assertion_failed("a known algorithm", __FILE__, __LINE__);
}

template <class Algo>
Duration reset_after(const Algo& algo, WallTime now) {
  const auto full = algo.full_at();
  return full ? time_until(*full, now) : Duration::zero();
}

/// Debits `algo` if the cost fits. What is left afterwards is part of the answer.
template <class Algo>
Verdict decide(const Limit& limit, Algo& algo, WallTime now, std::int64_t cost) {
  Verdict verdict{.allowed = algo.fits(cost)};
  if (verdict.allowed) {
    if (cost > 0) algo.debit(cost);
  } else {
    verdict.retry_after = cost > limit.capacity() ? kNever : time_until(algo.fits_at(cost), now);
  }
  verdict.remaining = algo.available();
  verdict.reset_after = reset_after(algo, now);
  return verdict;
}

WallTime to_wall(std::int64_t us) {
  return us >= kForeverUs ? WallTime::max() : WallTime(std::chrono::microseconds(us));
}

/// Whether states of both mean the same once their units are matched.
bool same_window(const Limit& a, const Limit& b) {
  if (a.algorithm() != b.algorithm()) return false;
  if (a.algorithm() == Algorithm::token_bucket) return true;
  if (a.period() != b.period() || a.calendar_unit() != b.calendar_unit()) return false;
  return a.zone() == b.zone() ||
         (a.zone() != nullptr && b.zone() != nullptr && a.zone()->name() == b.zone()->name());
}

/// `held` tokens, as taken at `now` under `limit`, even if they are more than it allows.
State holding(const Limit& limit, WallTime now, std::int64_t held) {
  if (held == 0) return {};
  switch (limit.algorithm()) {
    case Algorithm::token_bucket:
      return TokenBucket::holding(limit, now, held);
    case Algorithm::fixed_window:
      return FixedWindow::holding(limit, now, held);
    case Algorithm::sliding_window_log:
      return SlidingLog::holding(limit, now, held);
    case Algorithm::sliding_window_counter:
      return SlidingCounter::holding(limit, now, held);
  }
  return {};
}

}  // namespace

Verdict take(const Limit& limit, State& state, WallTime now, std::int64_t cost) {
  SLUICE_ASSERT(cost >= 0);
  return with_algorithm(limit, state, now, [&](auto algo) {
    const Verdict verdict = decide(limit, algo, now, cost);
    if (verdict.allowed && cost > 0) algo.save(state);
    return verdict;
  });
}

Verdict peek(const Limit& limit, const State& state, WallTime now, std::int64_t cost) {
  SLUICE_ASSERT(cost >= 0);
  return with_algorithm(limit, state, now, [&](auto algo) { return decide(limit, algo, now, cost); });
}

std::int64_t available(const Limit& limit, const State& state, WallTime now) {
  return with_algorithm(limit, state, now, [](const auto& algo) { return algo.available(); });
}

std::int64_t give_back(const Limit& limit, State& state, WallTime now, std::int64_t tokens,
                       std::optional<WallTime> debited_at) {
  SLUICE_ASSERT(tokens >= 0);
  return with_algorithm(limit, state, now, [&](auto algo) { return algo.credit(tokens, debited_at, state); });
}

WallTime full_at(const Limit& limit, const State& state, WallTime now) {
  return with_algorithm(limit, state, now, [&](const auto& algo) {
    const auto full = algo.full_at();
    return full ? std::max(now, to_wall(*full)) : now;
  });
}

std::optional<WallTime> window_end(const Limit& limit, WallTime now) {
  switch (limit.algorithm()) {
    case Algorithm::fixed_window:
      return to_wall(FixedWindow(limit, {}, now).end_us());
    case Algorithm::sliding_window_counter:
      return to_wall(SlidingCounter(limit, {}, now).end_us());
    case Algorithm::token_bucket:
    case Algorithm::sliding_window_log:
      break;
  }
  return std::nullopt;
}

State carry_over(const Limit& from, const Limit& to, const State& state, WallTime now) {
  if (std::holds_alternative<std::monostate>(state) || from == to) return state;
  if (same_window(from, to)) {
    switch (from.algorithm()) {
      case Algorithm::token_bucket:
        return TokenBucket(from, state, now).carried_to(to, now);
      case Algorithm::fixed_window:
        return state;
      case Algorithm::sliding_window_log:
        return SlidingLog(from, state, now).carried_to(to);
      case Algorithm::sliding_window_counter:
        return SlidingCounter(from, state, now).carried_to(to, now);
    }
  }
  const std::int64_t held =
      with_algorithm(from, state, now, [](const auto& algo) { return algo.consumed(); });
  return holding(to, now, held);
}

}  // namespace sluice::limiter
