// How tokens of one limit may be held ahead of need: what the configuration says, and what follows from the
// limit itself. Shared by all keys of a rule.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <chrono>
#include <cstdint>

#include "base/time.h"
#include "limiter/limit.h"

namespace sluice::lease {

struct Settings {
  Duration target = std::chrono::seconds{1};  ///< how much of its own recent demand a daemon tries to hold
  Duration ttl = std::chrono::seconds{2};     ///< longest that unused tokens are held
  double slack = 0.25;       ///< share of its size by which a token bucket may burst beyond it; 0 < x ≤ 1
  std::int64_t min = 1;      ///< least that is asked for ahead, once there is any demand; ≥ 1
  std::int64_t max = 1000;   ///< most that is held; min … 10^9
  std::int64_t initial = 0;  ///< spent on a key that was never seen before the store has answered
  bool exact = false;        ///< nothing is held: every token is debited for a check that waits for it

  bool operator==(const Settings&) const = default;
};

class Terms;
using TermsPtr = boost::intrusive_ptr<const Terms>;

/// Immutable.
class Terms final : public boost::intrusive_ref_counter<Terms, boost::thread_unsafe_counter> {
 public:
  [[nodiscard]] static TermsPtr make(const limiter::Limit& limit, const Settings& settings);

  [[nodiscard]] const limiter::Limit& limit() const { return limit_; }
  [[nodiscard]] std::int64_t min() const { return settings_.min; }
  [[nodiscard]] std::int64_t max() const { return settings_.max; }
  [[nodiscard]] std::int64_t initial() const { return settings_.initial; }

  /// Whether tokens are leased ahead of need at all. Not in exact mode, not from a sliding log (which admits
  /// each token at its own moment), and not where a lease would be too small or too short to be of use.
  [[nodiscard]] bool ahead() const { return ahead_; }

  /// Longest that a token may be held, counted from the sending of the request that brought it. For a bucket
  /// at most slack × burst ÷ rate: a token is then spent at most that long after its debit, so no interval of
  /// length d admits more than burst × (1 + slack) + rate × d.
  [[nodiscard]] Duration ttl() const { return ttl_; }

  /// The part of the recent demand to hold: min(target, ttl).
  [[nodiscard]] Duration horizon() const { return horizon_; }

  /// Least time between two requests for a key that is used up or contended, on the average.
  [[nodiscard]] Duration pace() const { return pace_; }

  /// Same limit and same settings: an entry made for one may go on with the other.
  [[nodiscard]] bool operator==(const Terms& other) const;

 private:
  Terms(const limiter::Limit& limit, const Settings& settings);

  limiter::Limit limit_;
  Settings settings_;
  Duration ttl_;
  Duration horizon_;
  Duration pace_;
  bool ahead_;
};

}  // namespace sluice::lease
