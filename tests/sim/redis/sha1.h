// SHA-1, by which Redis names scripts.
#pragma once

#include <string>
#include <string_view>

namespace sluice::sim {

/// 40 lower-case hex digits.
[[nodiscard]] std::string sha1_hex(std::string_view bytes);

}  // namespace sluice::sim
