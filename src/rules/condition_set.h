// Many conditions, and the few of them that could hold for a request.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rules/condition.h"
#include "rules/request.h"
#include "rules/text_hash.h"

namespace sluice::rules {

/// Each condition has one anchor: a descriptor with exact values only, filed under (name, value); else any
/// descriptor, filed under its name; else it is always a candidate. So a request meets each candidate once,
/// and never those that its names and exact values rule out.
class ConditionSet {
 public:
  ConditionSet() = default;
  explicit ConditionSet(std::vector<Condition> conditions);

  [[nodiscard]] std::size_t size() const { return conditions_.size(); }
  [[nodiscard]] const Condition& operator[](std::size_t index) const { return conditions_[index]; }

  /// Calls on_match(index) once for each condition that holds, in no particular order. Returns how many
  /// candidates it had to inspect.
  template <class OnMatch>
  std::size_t for_each_match(const Request& request, OnMatch&& on_match) const;

  /// The first, in the order of the configuration, that holds.
  [[nodiscard]] std::optional<std::size_t> first_match(const Request& request) const;

 private:
  using Indices = std::vector<std::size_t>;
  struct Anchors {
    Indices by_name;
    TextMap<Indices> by_value;
    std::size_t longest_value = 0;  ///< longer ones need not be hashed
  };

  void file(std::size_t index);
  [[nodiscard]] const Indices* with_value(const Anchors& anchors, const Value& value) const;
  template <class OnCandidate>
  void for_each_candidate(const Request& request, OnCandidate&& on_candidate) const;

  std::vector<Condition> conditions_;
  TextMap<Anchors> anchors_;
  Indices always_;
};

template <class OnMatch>
std::size_t ConditionSet::for_each_match(const Request& request, OnMatch&& on_match) const {
  std::size_t inspected = 0;
  for_each_candidate(request, [&](std::size_t index) {
    ++inspected;
    if (conditions_[index].holds_for(request)) on_match(index);
  });
  return inspected;
}

template <class OnCandidate>
void ConditionSet::for_each_candidate(const Request& request, OnCandidate&& on_candidate) const {
  for (const std::size_t index : always_) on_candidate(index);
  if (anchors_.empty()) return;
  for (const Value& value : request.values()) {
    const auto found = anchors_.find(value.name());
    if (found == anchors_.end()) continue;
    for (const std::size_t index : found->second.by_name) on_candidate(index);
    const Indices* exact = with_value(found->second, value);
    if (exact == nullptr) continue;
    for (const std::size_t index : *exact) on_candidate(index);
  }
}

}  // namespace sluice::rules
