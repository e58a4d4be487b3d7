#include "rules/condition_set.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/condition.h"
#include "rules/pattern.h"
#include "rules/request.h"

namespace sluice::rules {

ConditionSet::ConditionSet(std::vector<Condition> conditions) : conditions_(std::move(conditions)) {
  for (std::size_t index = 0; index < conditions_.size(); ++index) file(index);
}

void ConditionSet::file(std::size_t index) {
  const auto parts = conditions_[index].parts();
  if (parts.empty()) {
    always_.push_back(index);
    return;
  }
  const auto exact = std::ranges::find_if(
      parts, [](const DescriptorMatcher& part) { return part.exact_values() != nullptr; });
  if (exact == parts.end()) {
    anchors_[parts.front().descriptor()].by_name.push_back(index);
    return;
  }
  Anchors& anchors = anchors_[exact->descriptor()];
  for (const std::string& value : *exact->exact_values()) {
    anchors.by_value[value].push_back(index);
    anchors.longest_value = std::max(anchors.longest_value, value.size());
  }
}

const ConditionSet::Indices* ConditionSet::with_value(const Anchors& anchors, const Value& value) const {
  const auto form = value.exact_form();
  if (!form || form->size() > anchors.longest_value) return nullptr;
  const auto found = anchors.by_value.find(*form);
  return found == anchors.by_value.end() ? nullptr : &found->second;
}

std::optional<std::size_t> ConditionSet::first_match(const Request& request) const {
  std::size_t first = conditions_.size();
  for_each_candidate(request, [&](std::size_t index) {
    if (index < first && conditions_[index].holds_for(request)) first = index;
  });
  if (first == conditions_.size()) return std::nullopt;
  return first;
}

}  // namespace sluice::rules
