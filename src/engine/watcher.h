// Who wants to see the decisions themselves, with their keys, rather than counts of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "rules/policy.h"

namespace sluice::engine {

/// One rule's word on one key. Valid for the length of the call.
struct Sighting {
  const rules::Rule& rule;
  std::size_t slot = 0;  ///< as Statistics has it
  std::string_view key;  ///< of the counter; not for logs
  std::uint64_t hash = 0;
  std::int64_t cost = 0;
  bool allowed = true;
  Duration retry_after{};  ///< 0 when allowed; kNever
};

/// Called within a check, so it must be quick, and must not call back.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Of a sample of the decisions that deny, shadow rules' among them: stands for `weight` of them.
  virtual void on_denied(const Sighting& sighting, std::uint32_t weight) = 0;
  /// Of another sample, of all decisions, allowed or not.
  virtual void on_sampled(const Sighting& sighting, std::uint32_t weight) = 0;
};

}  // namespace sluice::engine
