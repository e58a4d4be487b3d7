// What the engine counts: plain numbers, which others render.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/time.h"
#include "engine/decision.h"
#include "engine/early_returns.h"
#include "engine/pending.h"
#include "engine/sampler.h"
#include "engine/watcher.h"
#include "rules/policy.h"

namespace sluice::engine {

/// Whole checks.
struct EngineCounters {
  std::uint64_t allowed = 0;
  std::uint64_t denied = 0;
  std::uint64_t bypassed = 0;
  std::uint64_t unmatched = 0;      ///< of the allowed, those in which no rule took part
  std::uint64_t shadow_denied = 0;  ///< allowed, though a shadow rule would have denied
  std::uint64_t near_limit = 0;     ///< allowed, with a warning
  /// Denied again before an earlier retry-after had passed. Told of the sampled denials, each for all that it
  /// stands for: an estimate, rather too low, where not all are sampled.
  std::uint64_t early_returns = 0;
  std::uint64_t degraded = 0;                ///< a failure policy answered for at least one rule
  std::uint64_t late = 0;                    ///< store answers that came after their check was answered
  std::uint64_t retry_never = 0;             ///< denials for which no waiting helps
  std::uint64_t failure_policy_seconds = 0;  ///< in which a failure policy answered
};

/// One rule's words, each on one check.
struct RuleCounters {
  std::uint64_t allowed = 0;
  std::uint64_t denied = 0;
  std::uint64_t shadow_denied = 0;
  std::uint64_t tokens = 0;                 ///< taken by checks that were allowed as a whole
  std::uint64_t near_limit = 0;             ///< allowed, with a warning
  std::uint64_t early_returns = 0;          ///< as above
  std::array<std::uint64_t, 3> degraded{};  ///< by rules::FailurePolicy, which answered
};

/// Nanoseconds, 10 ms to a day.
inline constexpr std::array<std::int64_t, 10> kRetryAfterBounds = {
    10'000'000,     100'000'000,    500'000'000,     1'000'000'000,     5'000'000'000,
    15'000'000'000, 60'000'000'000, 300'000'000'000, 3'600'000'000'000, 86'400'000'000'000};
using RetryAfterHistogram = Histogram<kRetryAfterBounds>;

class Statistics {
 public:
  /// `clock` must outlive it.
  Statistics(const Clock& clock, std::shared_ptr<const rules::Policy> policy);

  /// Rules carry their counts over by name; what a rule that is gone has counted is gone with it.
  void set_policy(std::shared_ptr<const rules::Policy> policy);

  /// Null: nobody watches. `seed` keys the hashes and the sampling, so that nobody outside knows them.
  void set_watcher(Watcher* watcher, std::uint64_t seed);
  /// One in so many is sampled, ≥ 1.
  void set_sampling(std::uint32_t checks, std::uint32_t denials) {
    checks_.set(checks);
    denials_.set(denials);
  }

  /// For how many checks the one that now begins stands; 0: it is not of the sample.
  [[nodiscard]] std::uint32_t next_sample() { return checks_.next(); }

  /// A check is decided.
  void count(const Pending& check);
  void count_late() { ++totals_.late; }
  /// How long a sampled check took that was answered at once, and any that waited for the store.
  void record_local(Duration took) { local_.record(took); }
  void record_waited(Duration took) { waited_.record(took); }

  /// A place for each rule, in the order of the configuration, and the last for CL.THROTTLE.
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }
  [[nodiscard]] const RuleCounters& rule(std::size_t slot) const { return slots_[slot].counters; }
  /// The largest used share of a key that was seen since this was last asked; below 0: none was.
  [[nodiscard]] float take_used_share(std::size_t slot);

  [[nodiscard]] const EngineCounters& totals() const { return totals_; }
  [[nodiscard]] const LatencyHistogram& local() const { return local_; }
  [[nodiscard]] const LatencyHistogram& waited() const { return waited_; }
  [[nodiscard]] const RetryAfterHistogram& retry_after() const { return retry_after_; }

 private:
  static constexpr std::size_t kNoSlot = static_cast<std::size_t>(-1);
  static constexpr float kNoShare = -1;
  struct Slot {
    RuleCounters counters;
    float used_share = kNoShare;
  };

  [[nodiscard]] std::size_t slot_of(const rules::Rule& rule, const CheckResult& result) const;
  void note_share(const RuleDecision& rule, Slot& slot);
  void count_degraded(const RuleDecision& rule, Slot& slot);
  void count_denied(const Decision& overall);
  /// At a decision that has a counter, and is of a sample: of that of denials it stands for `denial`.
  void look_closer(const Pending& check, const RuleDecision& rule, std::size_t slot, const Part& part,
                   std::uint32_t denial);

  const Clock& clock_;
  std::shared_ptr<const rules::Policy> policy_;
  const rules::Policy* previous_ = nullptr;  ///< only to be compared: checks under way may still be of it
  std::vector<std::size_t> previous_slots_;  ///< where its rules are now
  std::vector<Slot> slots_;
  EngineCounters totals_;
  LatencyHistogram local_;
  LatencyHistogram waited_;
  RetryAfterHistogram retry_after_;
  EarlyReturns early_returns_;
  std::uint32_t returned_early_ = 0;  ///< of the check being counted
  Instant degraded_second_{};         ///< the last one of failure_policy_seconds

  Watcher* watcher_ = nullptr;
  std::uint64_t seed_ = 0;
  Sampler checks_;
  Sampler denials_;
};

}  // namespace sluice::engine
