// One check's path: policy → store → decision.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/loop.h"
#include "base/result.h"
#include "engine/decision.h"         // IWYU pragma: export
#include "engine/pending.h"          // IWYU pragma: export
#include "engine/statistics.h"       // IWYU pragma: export
#include "engine/throttle_limits.h"  // IWYU pragma: export
#include "engine/watcher.h"          // IWYU pragma: export
#include "limiter/limit.h"
#include "rules/descriptor.h"  // IWYU pragma: export (requests are made of these)
#include "rules/policy.h"
#include "store/store.h"

namespace sluice::engine {

// For those who make requests of the engine, and may not know rules/ and limiter/.
using rules::Descriptor;
using rules::kMaxDescriptors;
inline constexpr std::int64_t kMaxCost = limiter::kMaxInteger;
[[nodiscard]] constexpr bool valid_cost(std::int64_t cost) {
  return cost >= 0 && cost <= kMaxCost;
}

struct EngineOptions {
  Duration max_wait =
      std::chrono::milliseconds{20};  ///< a check is answered within this, whatever the store does
  std::size_t max_waiting = 10'000;   ///< checks that wait for the store; more are answered by policy
};

/// Receives the answers that were not at hand. One per connection.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  /// `result` is valid for the length of the call.
  virtual void on_answer(std::uint64_t tag, const CheckResult& result) = 0;
};

/// Checks all or nothing: what a check took from one limit goes back when another denies it. Answers at once
/// when the store does; otherwise through the sink within max_wait, never from inside the call.
class Engine final : public store::StoreSink {
 public:
  /// `loop` and `store` must outlive the engine, which becomes the store's sink.
  Engine(Loop& loop, store::Store& store, const EngineOptions& options,
         std::shared_ptr<const rules::Policy> policy);
  ~Engine() override;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// For checks from now on; those under way keep theirs.
  void set_policy(std::shared_ptr<const rules::Policy> policy);
  void set_max_wait(Duration max_wait);

  /// The answer, valid until the next call into the engine; null: it comes to `sink` under `tag`.
  /// `cost` is ≥ 0 and ≤ limiter::kMaxInteger.
  const CheckResult* run(Operation operation, rules::Descriptors descriptors, std::int64_t cost,
                         AnswerSink& sink, std::uint64_t tag);

  /// A token bucket named by the caller rather than by a rule, as CL.THROTTLE has it: capacity max_burst + 1,
  /// `count` tokens per `period_s` seconds. The error says which number is out of range.
  Result<const CheckResult*> throttle(std::string_view key, const ThrottleNumbers& numbers, std::int64_t cost,
                                      AnswerSink& sink, std::uint64_t tag);

  /// `sink` goes away: its checks are finished but not reported.
  void forget(const AnswerSink& sink);

  void on_outcome(std::uint64_t tag, const store::Outcome& outcome) override;

  /// See Statistics; a watcher must outlive the engine or take itself away.
  void set_watcher(Watcher* watcher, std::uint64_t seed) { statistics_.set_watcher(watcher, seed); }
  void set_sampling(std::uint32_t checks, std::uint32_t denials) {
    statistics_.set_sampling(checks, denials);
  }
  [[nodiscard]] float take_used_share(std::size_t slot) { return statistics_.take_used_share(slot); }

  [[nodiscard]] const Statistics& statistics() const { return statistics_; }
  [[nodiscard]] const EngineCounters& counters() const { return statistics_.totals(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::size_t max_waiting() const { return options_.max_waiting; }

 private:
  const CheckResult* start(Pending& check, AnswerSink& sink, std::uint64_t tag);
  /// Whether a limit is known to deny; then every part has what is known as its outcome.
  bool known_denied(Pending& check);
  std::optional<store::Outcome> ask(const Pending& check, const Part& part, std::uint64_t store_tag);
  void park(Pending& check, AnswerSink& sink, std::uint64_t tag);
  [[nodiscard]] bool overdue(const Pending& check) const;
  void expire(std::uint64_t id);
  const CheckResult& conclude(Pending& check);
  void ask_for_shares(Pending& check);
  void return_tokens(Pending& check);
  void return_shares(Pending& check);

  Loop& loop_;
  store::Store& store_;
  EngineOptions options_;
  std::shared_ptr<const rules::Policy> policy_;
  ThrottleLimits throttle_limits_;
  rules::Rule throttle_rule_;
  Pending current_;  ///< the check being started; its memory is reused by those answered at once
  std::uint64_t next_id_ = 1;
  std::unordered_map<std::uint64_t, std::unique_ptr<Pending>> waiting_;
  Statistics statistics_;
};

}  // namespace sluice::engine
