// What a rule, an override or a bypass asks of a request.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/fault.h"
#include "rules/pattern.h"
#include "rules/request.h"
#include "rules/spec.h"

namespace sluice::rules {

/// Every descriptor that it names must be present and match; without any it holds for every request.
class Condition {
 public:
  /// Faults name "match.DESCRIPTOR", or "match" when it is not one descriptor's.
  [[nodiscard]] static std::expected<Condition, Fault> compile(
      std::span<const MatchSpec> match, std::span<const std::string> address_descriptors);

  [[nodiscard]] bool holds_for(const Request& request) const;

  /// In the order of the configuration.
  [[nodiscard]] std::span<const DescriptorMatcher> parts() const { return parts_; }
  /// Null when it does not name the descriptor.
  [[nodiscard]] const DescriptorMatcher* part(std::string_view descriptor) const;

 private:
  std::vector<DescriptorMatcher> parts_;
};

}  // namespace sluice::rules
