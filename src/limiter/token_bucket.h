// Token bucket, as an exact rational GCRA.
//
// With r = count ÷ period in lowest terms, r's denominator is one token in "units" and its numerator the
// units that flow in per microsecond: no rate is rounded. Where capacity × units would pass kMaxInteger, time
// is counted in coarser ticks (see choose_tick).
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "limiter/limiter.h"

namespace sluice::limiter {

/// The bucket of `state` as of `now`. Moments are in microseconds, see ticks.h.
class TokenBucket {
 public:
  TokenBucket(const Limit& limit, const State& state, WallTime now);

  [[nodiscard]] std::int64_t available() const;
  [[nodiscard]] bool fits(std::int64_t cost) const;
  /// When a cost that does not fit now, but is at most the capacity, will.
  [[nodiscard]] std::int64_t fits_at(std::int64_t cost) const;
  /// Nothing when it is full.
  [[nodiscard]] std::optional<std::int64_t> full_at() const;
  /// Whole tokens that are gone, rounded up.
  [[nodiscard]] std::int64_t consumed() const;

  /// Takes what fits.
  void debit(std::int64_t cost);
  /// Writes what was debited to the state this was made from.
  void save(State& state) const;
  /// Fills to full at most. A last token of which part had flowed in again counts as put back.
  std::int64_t credit(std::int64_t tokens, std::optional<WallTime> debited_at, State& state);

  /// The state that holds `consumed` tokens taken at `now`.
  [[nodiscard]] static State holding(const Limit& limit, WallTime now, std::int64_t consumed);
  /// The same bucket in the units of `to`.
  [[nodiscard]] State carried_to(const Limit& to, WallTime now) const;

 private:
  [[nodiscard]] std::int64_t moment_without(std::int64_t units) const;

  const Limit& limit_;
  std::int64_t missing_ = 0;    ///< units, as of tick_
  std::int64_t tick_ = 0;       ///< evaluated at: never before what the state has seen
  std::int64_t next_tick_ = 0;  ///< the first tick that begins at `now` or later
};

}  // namespace sluice::limiter
