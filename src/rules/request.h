// A request's descriptors, prepared once for all the patterns that will look at them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "base/hash.h"
#include "rules/descriptor.h"

namespace sluice::rules {

/// How the values of a descriptor are read.
enum class ValueKind : std::uint8_t { text, address };

/// `address` for the names in `address_descriptors`.
[[nodiscard]] ValueKind kind_of(std::string_view name, std::span<const std::string> address_descriptors);

/// One descriptor of a request.
class Value {
 public:
  Value(const Descriptor& descriptor, ValueKind kind);

  [[nodiscard]] std::string_view name() const { return descriptor_.name; }
  [[nodiscard]] std::string_view text() const { return descriptor_.value; }
  [[nodiscard]] ValueKind kind() const { return kind_; }
  /// Null for text, and for what should be an address but is not.
  [[nodiscard]] const Address* address() const { return address_ ? &*address_ : nullptr; }
  /// What exact patterns compare with: the text, or Address::form(). Nothing for what should be an address
  /// but is not, since no exact pattern means that.
  [[nodiscard]] std::optional<std::string_view> exact_form() const;
  /// Of the text; computed at most once, so that many patterns for a long value stay cheap.
  [[nodiscard]] const Sha256& digest() const;

 private:
  Descriptor descriptor_;
  ValueKind kind_;
  std::optional<Address> address_;
  mutable std::optional<Sha256> digest_;
};

/// Lives on the stack for one check. Allocates only above kMaxDescriptors, which protocols refuse.
class Request {
 public:
  Request(Descriptors descriptors, std::span<const std::string> address_descriptors);
  ~Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Null when absent.
  [[nodiscard]] const Value* find(std::string_view name) const;
  /// Each name once; of a repeated one the first.
  [[nodiscard]] std::span<const Value> values() const { return values_; }

 private:
  std::array<std::byte, sizeof(Value) * kMaxDescriptors + alignof(Value)> buffer_;  // left uninitialized
  std::pmr::monotonic_buffer_resource arena_;
  std::pmr::vector<Value> values_;
};

}  // namespace sluice::rules
