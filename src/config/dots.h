// How deep dotted keys nest, found before the TOML parser builds what they say. Internal to config/.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "config/document.h"

namespace sluice::config {

/// Most dots outside of strings and comments that one statement (a key and its value, or the header of a
/// table) may have, on however many lines it is.
inline constexpr std::size_t kMaxDots = 4000;

/// Each dot of a dotted key nests one table deeper, without a bound in toml++, which walks tables
/// recursively: enough of them overflow the stack, in one line or in tables within arrays. The fault is at
/// the first dot over kMaxDots. Of what is no TOML it says nothing that is wrong with it.
[[nodiscard]] std::optional<Fault> find_too_many_dots(std::string_view text);

}  // namespace sluice::config
