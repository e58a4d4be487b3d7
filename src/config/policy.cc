#include "config/policy.h"

#include <cstddef>
#include <expected>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include "base/text.h"
#include "config/document.h"
#include "config/reader.h"
#include "rules/policy.h"
#include "rules/spec.h"

namespace sluice::config {
namespace {

using Section = rules::SpecError::Section;

/// What `key` leads to within `value`; null when it is no table or has no such key.
const Value* child_of(const Value* value, std::string_view key) {
  const auto* const table = value != nullptr ? std::get_if<Table>(&value->data) : nullptr;
  const Entry* const entry = table != nullptr ? table->find(key) : nullptr;
  return entry != nullptr ? &entry->value : nullptr;
}

const Value* element_of(const Value* value, std::size_t index) {
  const auto* const array = value != nullptr ? std::get_if<Array>(&value->data) : nullptr;
  return array != nullptr && index < array->size() ? &(*array)[index] : nullptr;
}

std::string_view name_of(Section section) {
  switch (section) {
    case Section::rule:
      return "rule";
    case Section::bypass:
      return "bypass";
    case Section::address:
      return "address";
    case Section::lease:
      return "lease";
  }
  return {};
}

/// Of the field that the error names, or of the nearest thing around it that is written in the file.
Place place_of(const rules::SpecError& error, const Table& document) {
  const Entry* const section = document.find(name_of(error.section));
  if (section == nullptr) return {};
  Place place = section->value.place;
  const auto enter = [&place](const Value* value) {
    if (value != nullptr) place = value->place;
    return value;
  };
  const Value* value = &section->value;
  if (std::holds_alternative<Array>(value->data)) value = enter(element_of(value, error.index));
  if (error.override_index)
    value = enter(element_of(enter(child_of(value, "override")), *error.override_index));
  // "match.user": what follows the first dot is one name, whatever it contains.
  const std::string_view field = error.field;
  const std::size_t dot = field.find('.');
  value = enter(child_of(value, field.substr(0, dot)));
  if (dot != std::string_view::npos) enter(child_of(value, field.substr(dot + 1)));
  return place;
}

Fault fault_of(const rules::SpecError& error, const Table& document) {
  return {place_of(error, document), printable(error.field) + ": " + error.message};
}

/// Compiles one part after the other, to find more than the first error.
class FaultFinder {
 public:
  FaultFinder(const Reading& reading, const Table& document) : reading_(reading), document_(document) {}

  Faults find();

 private:
  [[nodiscard]] bool broken(std::string_view section, std::size_t index) const {
    return reading_.broken.contains({section, index});
  }
  /// A policy of nothing but what rules and bypasses have in common; a wrong [lease] is its default.
  [[nodiscard]] rules::PolicySpec frame() const {
    rules::PolicySpec spec;
    spec.address_descriptors = reading_.settings.policy.address_descriptors;
    spec.ipv6_prefix = reading_.settings.policy.ipv6_prefix;
    if (!broken("lease", 0)) spec.lease = reading_.settings.policy.lease;
    return spec;
  }
  /// `index` is that of the spec's only rule or bypass in the whole.
  void try_compile(const rules::PolicySpec& spec, std::size_t index);

  const Reading& reading_;
  const Table& document_;
  Faults faults_;
};

void FaultFinder::try_compile(const rules::PolicySpec& spec, std::size_t index) {
  auto policy = rules::compile(spec);
  if (policy) return;
  rules::SpecError error = std::move(policy).error();
  error.index = index;
  faults_.push_back(fault_of(error, document_));
}

Faults FaultFinder::find() {
  // With a wrong [address], patterns would be taken for what they are not.
  if (broken("address", 0)) return {};
  try_compile(frame(), 0);
  if (!faults_.empty()) return std::move(faults_);

  const rules::PolicySpec& whole = reading_.settings.policy;
  for (std::size_t i = 0; i < whole.rules.size(); ++i) {
    if (broken("rule", i)) continue;
    rules::PolicySpec spec = frame();
    spec.rules.push_back(whole.rules[i]);
    // What a rule says besides a wrong [lease] might be right besides a mended one.
    if (broken("lease", 0)) spec.rules.back().lease = {};
    try_compile(spec, i);
  }
  for (std::size_t i = 0; i < whole.bypass.size(); ++i) {
    if (broken("bypass", i)) continue;
    rules::PolicySpec spec = frame();
    spec.bypass.push_back(whole.bypass[i]);
    try_compile(spec, i);
  }
  return std::move(faults_);
}

}  // namespace

std::expected<std::shared_ptr<const rules::Policy>, Faults> compile_policy(const Reading& reading,
                                                                           const Table& document) {
  if (!reading.faults.empty()) return std::unexpected(FaultFinder(reading, document).find());
  auto policy = rules::compile(reading.settings.policy);
  if (policy) return *std::move(policy);
  Faults faults = FaultFinder(reading, document).find();
  // An error that only shows in the whole, such as too many rules.
  if (faults.empty()) faults.push_back(fault_of(policy.error(), document));
  return std::unexpected(std::move(faults));
}

}  // namespace sluice::config
