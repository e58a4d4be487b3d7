// Sliding window log: no interval of one window's length ever holds more than the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "limiter/limiter.h"

namespace sluice::limiter {

/// The entries of `state` that still count at `now`, i.e. those in (now − window, now]. It looks into `state`
/// and must not outlive it. Every operation walks the entries, which log_granule bounds. Moments are in
/// microseconds, see ticks.h; a log's tick is one.
class SlidingLog {
 public:
  SlidingLog(const Limit& limit, const State& state, WallTime now);

  [[nodiscard]] std::int64_t available() const;
  [[nodiscard]] bool fits(std::int64_t cost) const;
  /// When a cost that does not fit now, but is at most the capacity, will.
  [[nodiscard]] std::int64_t fits_at(std::int64_t cost) const;
  /// Nothing when no entry counts.
  [[nodiscard]] std::optional<std::int64_t> full_at() const;
  [[nodiscard]] std::int64_t consumed() const { return used_; }

  /// Takes what fits.
  void debit(std::int64_t cost);
  /// Writes what was debited to the state this was made from, and drops there what counts no more. The last
  /// thing that may be asked of it.
  void save(State& state) const;
  /// From the entry of `debited_at` only, if that is known; else from the oldest entries, which then do not
  /// expire: what is left counts for longer, so this is strict.
  std::int64_t credit(std::int64_t tokens, std::optional<WallTime> debited_at, State& state) const;

  /// The state that holds `consumed` tokens taken at `now`.
  [[nodiscard]] static State holding(const Limit& limit, WallTime now, std::int64_t consumed);
  /// The same entries under `to`, whose window is the same, in its granules.
  [[nodiscard]] State carried_to(const Limit& to) const;

 private:
  const Limit& limit_;
  const LogState* log_ = nullptr;  ///< null: full
  std::size_t first_ = 0;          ///< oldest entry that counts
  std::int64_t used_ = 0;          ///< by the entries that count, and taken_
  std::int64_t taken_ = 0;         ///< debited, not yet saved
  std::int64_t now_ = 0;           ///< evaluated at: never before what the state has seen
  std::int64_t stamp_ = 0;         ///< what is taken now counts from here
};

}  // namespace sluice::limiter
