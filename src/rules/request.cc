#include "rules/request.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/address.h"
#include "base/hash.h"
#include "rules/descriptor.h"

namespace sluice::rules {

ValueKind kind_of(std::string_view name, std::span<const std::string> address_descriptors) {
  const bool listed = std::ranges::find(address_descriptors, name) != address_descriptors.end();
  return listed ? ValueKind::address : ValueKind::text;
}

Value::Value(const Descriptor& descriptor, ValueKind kind) : descriptor_(descriptor), kind_(kind) {
  if (kind_ == ValueKind::address) address_ = Address::parse(descriptor_.value);
}

std::optional<std::string_view> Value::exact_form() const {
  if (kind_ == ValueKind::text) return descriptor_.value;
  if (address_) return address_->form();
  return std::nullopt;
}

const Sha256& Value::digest() const {
  if (!digest_) digest_ = sha256(descriptor_.value);
  return *digest_;
}

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): clearing the buffer would cost more than the match.
Request::Request(Descriptors descriptors, std::span<const std::string> address_descriptors)
    : arena_(buffer_.data(), buffer_.size()), values_(&arena_) {
  values_.reserve(descriptors.size());
  for (const Descriptor& descriptor : descriptors) {
    if (find(descriptor.name) != nullptr) continue;
    values_.emplace_back(descriptor, kind_of(descriptor.name, address_descriptors));
  }
}

const Value* Request::find(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &Value::name);
  return found == values_.end() ? nullptr : &*found;
}

}  // namespace sluice::rules
