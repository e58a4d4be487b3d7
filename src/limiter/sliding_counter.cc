#include "limiter/sliding_counter.h"

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

/// Largest count whose product with the window's length can be represented. It is at least the limit
/// (choose_tick), so only what a lowered limit leaves can pass it, and is then clamped.
std::int64_t largest_count(const Limit& limit) {
  return kMaxInteger / limit.window_ticks();
}

}  // namespace

std::int64_t SlidingCounter::index_at(const Limit& limit, std::int64_t now_us) {
  return now_us / limit.tick_us() / limit.window_ticks();
}

SlidingCounter::SlidingCounter(const Limit& limit, const State& state, WallTime now) : limit_(limit) {
  const std::int64_t tick = floor_us(now) / limit.tick_us();
  counts_.index = tick / limit.window_ticks();
  elapsed_ = tick % limit.window_ticks();
  if (std::holds_alternative<std::monostate>(state)) return;
  SLUICE_ASSERT(std::holds_alternative<CounterState>(state));
  const auto& seen = std::get<CounterState>(state);
  SLUICE_ASSERT(std::max(seen.current, seen.previous) <= largest_count(limit));
  if (counts_.index < seen.index) {
    // The clock stepped back over the edge: we stay at the beginning of the newest window seen.
    counts_ = seen;
    elapsed_ = 0;
  } else if (counts_.index == seen.index) {
    counts_ = seen;
  } else if (counts_.index == seen.index + 1) {
    counts_.previous = seen.current;
  }
}

std::int64_t SlidingCounter::overlap() const {
  return ceil_div(counts_.previous * (limit_.window_ticks() - elapsed_), limit_.window_ticks());
}

std::int64_t SlidingCounter::consumed() const {
  return counts_.current + overlap();
}

std::int64_t SlidingCounter::available() const {
  // Both are subtracted one by one: their sum may be more than can be represented.
  return std::max(std::int64_t{0}, limit_.capacity() - counts_.current - overlap());
}

bool SlidingCounter::fits(std::int64_t cost) const {
  if (cost > limit_.capacity() || counts_.current > limit_.capacity() - cost) return false;
  // Multiplied out, so that no fraction of a token is rounded away.
  const std::int64_t room = limit_.capacity() - cost - counts_.current;
  return counts_.previous * (limit_.window_ticks() - elapsed_) <= room * limit_.window_ticks();
}

std::int64_t SlidingCounter::fits_at(std::int64_t cost) const {
  const std::int64_t window = limit_.window_ticks();
  const std::int64_t room = limit_.capacity() - cost;
  if (counts_.current <= room) {
    // The previous window is in the way: it must fade to what is left beside the current one. If nothing is
    // left, the window's end takes it away, and what is then the previous one fits.
    return moment(window - (room - counts_.current) * window / counts_.previous);
  }
  // The current window is in the way: it must become the previous one, and fade.
  return moment(window + window - room * window / counts_.current);
}

std::int64_t SlidingCounter::moment(std::int64_t elapsed) const {
  return begin_of_tick(counts_.index * limit_.window_ticks() + elapsed, limit_.tick_us());
}

std::optional<std::int64_t> SlidingCounter::full_at() const {
  if (counts_.current > 0) return moment(2 * limit_.window_ticks());
  if (counts_.previous > 0) return moment(limit_.window_ticks());
  return std::nullopt;
}

std::int64_t SlidingCounter::end_us() const {
  return moment(limit_.window_ticks());
}

void SlidingCounter::debit(std::int64_t cost) {
  counts_.current += cost;
}

std::int64_t SlidingCounter::credit(std::int64_t tokens, std::optional<WallTime> debited_at, State& state) {
  std::int64_t to_current = std::min(tokens, counts_.current);
  std::int64_t to_previous = std::min(tokens - to_current, counts_.previous);
  if (debited_at) {
    const std::int64_t index = index_at(limit_, floor_us(*debited_at));
    to_current = index == counts_.index ? to_current : 0;
    to_previous = index == counts_.index - 1 ? std::min(tokens, counts_.previous) : 0;
  }
  if (to_current + to_previous == 0) return 0;
  counts_.current -= to_current;
  counts_.previous -= to_previous;
  save(state);
  return to_current + to_previous;
}

void SlidingCounter::save(State& state) const {
  if (counts_.current == 0 && counts_.previous == 0) {
    state = std::monostate{};
  } else {
    state = counts_;
  }
}

State SlidingCounter::holding(const Limit& limit, WallTime now, std::int64_t consumed) {
  return CounterState{.index = index_at(limit, floor_us(now)),
                      .current = std::min(consumed, largest_count(limit)),
                      .previous = 0};
}

State SlidingCounter::carried_to(const Limit& to, WallTime now) const {
  if (std::max(counts_.current, counts_.previous) > largest_count(to)) {
    // Cut by itself, a previous window that has nearly faded would weigh too little.
    return holding(to, now, consumed());
  }
  State state;
  save(state);
  return state;
}

}  // namespace sluice::limiter
