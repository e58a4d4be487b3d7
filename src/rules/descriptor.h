// What a request says of itself.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace sluice::rules {

/// One `name=value`. Values are bytes: any length up to the protocol's bound, any content.
/// Views into the request; they live as long as it does.
struct Descriptor {
  std::string_view name;
  std::string_view value;
};

using Descriptors = std::span<const Descriptor>;

/// More of them in one request are refused by the protocols.
inline constexpr std::size_t kMaxDescriptors = 32;

}  // namespace sluice::rules
