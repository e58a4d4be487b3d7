// What is known of each rule beyond its counts: how the last minute went, and who its busiest keys are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/settings.h"
#include "daemon/trail.h"
#include "engine/statistics.h"
#include "engine/watcher.h"
#include "observe/sketch.h"
#include "rules/spec.h"

namespace sluice::daemon {

/// Bound: the first kMaxRules rules of the configuration, and CL.THROTTLE, have one each.
class RuleWatch {
 public:
  static constexpr std::size_t kMaxRules = 200;
  static constexpr Duration kSlot = std::chrono::seconds{5};

  struct Rule {
    rules::RuleSpec spec;  ///< as it was written; of CL.THROTTLE only the name
    std::size_t slot = 0;  ///< in engine::Statistics
    struct Words {
      std::uint64_t allowed = 0;
      std::uint64_t denied = 0;
      std::uint64_t shadow_denied = 0;
    };
    Trail<Words, 13> words{};                    ///< a minute of slots
    std::array<float, 12> used_share{};          ///< the largest of each slot; below 0: none was seen
    std::unique_ptr<observe::Sketch> busiest{};  ///< null: nobody has come yet
    std::unique_ptr<observe::Sketch> denied{};
  };

  /// The rules of a configuration, which `statistics` counts by now; what is known of those of the same name
  /// is kept.
  void set_rules(const config::Settings& settings, const engine::Statistics& statistics, Instant now);

  /// Null: the rule at `slot` is not watched.
  [[nodiscard]] Rule* at(std::size_t slot);
  /// In the order of the configuration, CL.THROTTLE last.
  [[nodiscard]] std::vector<Rule>& rules() { return rules_; }
  [[nodiscard]] const std::vector<Rule>& rules() const { return rules_; }
  /// How many rules there are beyond those.
  [[nodiscard]] std::size_t omitted() const { return rules_in_policy_ + 1 - rules_.size(); }

  void see_denied(const engine::Sighting& sighting, std::uint32_t weight, Rule& rule, Instant now) const;
  void see_sampled(const engine::Sighting& sighting, std::uint32_t weight, Rule& rule, Instant now) const;

  /// Notes how far the counts have come. To be called with the end of each slot.
  void end_slot(const engine::Statistics& statistics, Instant now);
  /// `share` was seen of a key; within the present slot.
  void note_used_share(Rule& rule, float share) const;

 private:
  std::vector<Rule> rules_;
  std::size_t rules_in_policy_ = 0;
  std::size_t capacity_ = 0;
  std::size_t present_ = 0;  ///< in Rule::used_share
};

/// A rule's words over the last minute. Nothing: nobody asked.
[[nodiscard]] std::optional<double> blocked_share(const RuleWatch::Rule& rule,
                                                  const engine::RuleCounters& now);
[[nodiscard]] std::optional<double> used_share(const RuleWatch::Rule& rule);

}  // namespace sluice::daemon
