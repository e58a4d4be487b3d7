#include "rules/condition.h"

#include <fmt/core.h>

#include <algorithm>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "rules/fault.h"
#include "rules/pattern.h"
#include "rules/request.h"
#include "rules/spec.h"

namespace sluice::rules {

std::expected<Condition, Fault> Condition::compile(std::span<const MatchSpec> match,
                                                   std::span<const std::string> address_descriptors) {
  Condition condition;
  for (const MatchSpec& spec : match) {
    if (spec.descriptor.empty()) return fault("match", "a descriptor's name cannot be empty");
    const std::string field = "match." + spec.descriptor;
    if (condition.part(spec.descriptor) != nullptr) {
      return fault(field,
                   fmt::format("\"{}\" is named twice; give it one list of patterns", spec.descriptor));
    }
    auto part = DescriptorMatcher::compile(spec, kind_of(spec.descriptor, address_descriptors));
    if (!part) return fault(field, std::move(part.error().message));
    condition.parts_.push_back(std::move(*part));
  }
  return condition;
}

bool Condition::holds_for(const Request& request) const {
  return std::ranges::all_of(parts_, [&](const DescriptorMatcher& part) {
    const Value* value = request.find(part.descriptor());
    return value != nullptr && part.find(*value);
  });
}

const DescriptorMatcher* Condition::part(std::string_view descriptor) const {
  const auto found = std::ranges::find(parts_, descriptor, &DescriptorMatcher::descriptor);
  return found == parts_.end() ? nullptr : &*found;
}

}  // namespace sluice::rules
