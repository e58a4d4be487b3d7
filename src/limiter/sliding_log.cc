#include "limiter/sliding_log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "limiter/ticks.h"

namespace sluice::limiter {
namespace {

/// Rounded up, so that an entry never counts for less than one window after it was taken.
std::int64_t granulated(const Limit& limit, std::int64_t tick) {
  return ceil_div(tick, limit.log_granule()) * limit.log_granule();
}

void append(LogState& log, LogState::Entry entry) {
  if (!log.entries.empty() && log.entries.back().tick == entry.tick) {
    log.entries.back().tokens += entry.tokens;
  } else {
    log.entries.push_back(entry);
  }
}

}  // namespace

SlidingLog::SlidingLog(const Limit& limit, const State& state, WallTime now)
    : limit_(limit), now_(floor_us(now)), stamp_(granulated(limit, ceil_us(now))) {
  if (std::holds_alternative<std::monostate>(state)) return;
  SLUICE_ASSERT(std::holds_alternative<LogState>(state));
  log_ = &std::get<LogState>(state);
  now_ = std::max(now_, log_->last_tick);
  stamp_ = std::max(stamp_, granulated(limit, now_));
  if (!log_->entries.empty()) stamp_ = std::max(stamp_, log_->entries.back().tick);
  for (std::size_t i = 0; i < log_->entries.size(); ++i) {
    if (log_->entries[i].tick <= now_ - limit.window_ticks()) {
      first_ = i + 1;
    } else {
      used_ += log_->entries[i].tokens;
    }
  }
}

std::int64_t SlidingLog::available() const {
  // A lowered limit may leave more used than there may be.
  return std::max(std::int64_t{0}, limit_.capacity() - used_);
}

bool SlidingLog::fits(std::int64_t cost) const {
  return cost <= limit_.capacity() && used_ <= limit_.capacity() - cost;
}

std::int64_t SlidingLog::fits_at(std::int64_t cost) const {
  // Not simply when the oldest entry leaves: as many must leave as the cost needs.
  std::int64_t excess = used_ - (limit_.capacity() - cost);
  std::size_t i = first_;
  for (; excess > log_->entries[i].tokens; ++i) excess -= log_->entries[i].tokens;
  return log_->entries[i].tick + limit_.window_ticks();
}

std::optional<std::int64_t> SlidingLog::full_at() const {
  if (used_ == 0) return std::nullopt;
  return (taken_ > 0 ? stamp_ : log_->entries.back().tick) + limit_.window_ticks();
}

void SlidingLog::debit(std::int64_t cost) {
  taken_ += cost;
  used_ += cost;
}

void SlidingLog::save(State& state) const {
  if (used_ == 0) {
    state = std::monostate{};
    return;
  }
  if (log_ == nullptr) state = LogState{};
  auto& log = std::get<LogState>(state);
  log.entries.erase(log.entries.begin(), log.entries.begin() + static_cast<std::ptrdiff_t>(first_));
  if (taken_ > 0) append(log, {.tick = stamp_, .tokens = taken_});
  log.last_tick = now_;
}

std::int64_t SlidingLog::credit(std::int64_t tokens, std::optional<WallTime> debited_at, State& state) const {
  if (tokens == 0 || used_ == 0) return 0;
  save(state);
  std::vector<LogState::Entry>& entries = std::get<LogState>(state).entries;
  std::int64_t back = 0;
  for (LogState::Entry& entry : entries) {
    if (debited_at && entry.tick != granulated(limit_, ceil_us(*debited_at))) continue;
    const std::int64_t freed = std::min(tokens - back, entry.tokens);
    entry.tokens -= freed;
    back += freed;
  }
  std::erase_if(entries, [](const LogState::Entry& entry) { return entry.tokens == 0; });
  if (entries.empty()) state = std::monostate{};
  return back;
}

State SlidingLog::holding(const Limit& limit, WallTime now, std::int64_t consumed) {
  return LogState{.entries = {{.tick = granulated(limit, ceil_us(now)), .tokens = consumed}},
                  .last_tick = floor_us(now)};
}

State SlidingLog::carried_to(const Limit& to) const {
  if (used_ == 0) return {};
  LogState carried{.entries = {}, .last_tick = now_};
  for (std::size_t i = first_; i < log_->entries.size(); ++i) {
    append(carried, {.tick = granulated(to, log_->entries[i].tick), .tokens = log_->entries[i].tokens});
  }
  return carried;
}

}  // namespace sluice::limiter
