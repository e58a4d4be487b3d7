// One check under way: which limits it asks, and what each has answered so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/loop.h"
#include "engine/decision.h"
#include "limiter/limit.h"
#include "rules/policy.h"
#include "store/store.h"

namespace sluice::engine {

class AnswerSink;

enum class Operation : std::uint8_t {
  check,   ///< take `cost` from every limit, or from none
  peek,    ///< what a check would answer
  refund,  ///< give `cost` tokens back to every limit
  reset,   ///< forget the counters
};

/// rules::Rule::index of CL.THROTTLE's, which no policy holds.
inline constexpr std::size_t kThrottleIndex = static_cast<std::size_t>(-1);

/// One limit of a check.
struct Part {
  const rules::Match* match = nullptr;
  std::optional<store::Outcome> outcome;  ///< nothing yet: the store has not answered
  std::optional<store::Outcome>
      share;  ///< of this daemon's part of the limit, in place of the store's answer
};

struct Pending {
  Operation operation = Operation::check;
  std::int64_t cost = 1;
  std::uint64_t id = 0;  ///< 0 while it is not parked
  rules::MatchResult matched;
  std::vector<Part> parts;                               ///< of `matched`, those that are not unlimited
  std::shared_ptr<const limiter::Limit> throttle_limit;  ///< keeps CL.THROTTLE's limit alive
  AnswerSink* sink = nullptr;                            ///< null: nobody waits any more
  std::uint64_t tag = 0;
  TimerId timer = 0;
  std::uint32_t sample = 0;  ///< see Statistics::next_sample
  Instant began{};           ///< of a sampled one, or since when it is parked
  Instant deadline{};        ///< when its failure policy answers
  bool answered = false;
  CheckResult result;

  [[nodiscard]] std::size_t open_parts() const;
};

/// Turns outcomes into result.rules and result.overall. A part without an outcome, or with an error, is
/// answered by its rule's failure policy.
void conclude_parts(Pending& check);

}  // namespace sluice::engine
