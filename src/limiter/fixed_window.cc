#include "limiter/fixed_window.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>

#include "base/assert.h"
#include "base/time.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "limiter/ticks.h"

namespace sluice::limiter {
namespace {

/// Not clamped to 1970: the year, month and day that hold it begin earlier in the west. Zones change on whole
/// seconds, so nothing is rounded.
std::int64_t boundary_us(WallTime t) {
  return std::min(std::chrono::floor<std::chrono::microseconds>(t).time_since_epoch().count(), kForeverUs);
}

}  // namespace

FixedWindow::Span FixedWindow::span_at(const Limit& limit, std::int64_t now_us) {
  if (limit.zone() != nullptr) {
    const Window window =
        limit.zone()->window_at(WallTime(std::chrono::microseconds(now_us)), limit.calendar_unit());
    return {.start_us = boundary_us(window.start), .end_us = boundary_us(window.end)};
  }
  const std::int64_t start = now_us - now_us % limit.window_ticks();
  return {.start_us = start, .end_us = start + limit.window_ticks()};
}

FixedWindow::FixedWindow(const Limit& limit, const State& state, WallTime now)
    : limit_(limit), span_(span_at(limit, floor_us(now))) {
  if (std::holds_alternative<std::monostate>(state)) return;
  SLUICE_ASSERT(std::holds_alternative<FixedState>(state));
  const auto& fixed = std::get<FixedState>(state);
  // A clock that stepped back over the edge does not reopen the window before: it stays in the state's one.
  if (fixed.start_us > span_.start_us) span_ = span_at(limit, fixed.start_us);
  if (fixed.start_us == span_.start_us) used_ = fixed.used;
}

std::int64_t FixedWindow::available() const {
  // A lowered limit may leave more used than there may be.
  return std::max(std::int64_t{0}, limit_.capacity() - used_);
}

bool FixedWindow::fits(std::int64_t cost) const {
  return cost <= limit_.capacity() && used_ <= limit_.capacity() - cost;
}

std::int64_t FixedWindow::fits_at(std::int64_t /*cost*/) const {
  return span_.end_us;
}

std::optional<std::int64_t> FixedWindow::full_at() const {
  if (used_ == 0) return std::nullopt;
  return span_.end_us;
}

void FixedWindow::debit(std::int64_t cost) {
  used_ += cost;
}

std::int64_t FixedWindow::credit(std::int64_t tokens, std::optional<WallTime> debited_at, State& state) {
  if (debited_at && span_at(limit_, floor_us(*debited_at)).start_us != span_.start_us) return 0;
  const std::int64_t back = std::min(tokens, used_);
  if (back == 0) return 0;
  used_ -= back;
  save(state);
  return back;
}

void FixedWindow::save(State& state) const {
  if (used_ == 0) {
    state = std::monostate{};
  } else {
    state = FixedState{.start_us = span_.start_us, .used = used_};
  }
}

State FixedWindow::holding(const Limit& limit, WallTime now, std::int64_t consumed) {
  return FixedState{.start_us = span_at(limit, floor_us(now)).start_us, .used = consumed};
}

}  // namespace sluice::limiter
