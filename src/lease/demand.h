// How much of a key this daemon has been asked for lately, and how often it may ask the store in return.
// Both are a few bytes, since every key held has one; times are milliseconds that wrap after 49 days.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sluice::lease {

/// A moment in whole milliseconds, modulo 2^32. Differences are right for moments less than 24 days apart.
class Millis {
 public:
  Millis() = default;
  /// Rounded up, so that a wait for it is never too short.
  explicit Millis(Instant at);

  /// From `other` to this, negative if it comes later.
  [[nodiscard]] std::int64_t since(Millis other) const {
    return static_cast<std::int32_t>(value_ - other.value_);
  }
  [[nodiscard]] Millis plus(std::int64_t milliseconds) const;

 private:
  std::uint32_t value_ = 0;
};

/// Tokens per second, averaged with a weight that fades within half a second.
class Demand {
 public:
  /// `cost` tokens were asked for.
  void note(std::int64_t cost, Millis now);
  /// The rate at `now` (≥ the last note) without `excluded` tokens that were noted just now: what has come
  /// for the first time is no sign yet that more will.
  [[nodiscard]] double per_second(Millis now, std::int64_t excluded = 0) const;
  [[nodiscard]] Millis last() const { return last_; }

 private:
  float rate_ = 0;
  Millis last_;
};

/// Meters requests to the store for one key: a burst, then one per `pace`. It only counts; who asks decides
/// whether to heed it.
class AskBudget {
 public:
  /// How long until the budget has one more, 0 if it has.
  [[nodiscard]] Duration wait(Millis now, Duration pace) const;
  void spend(Millis now, Duration pace);

 private:
  Millis full_at_;  ///< when nothing of the burst would be used up any more
};

}  // namespace sluice::lease
