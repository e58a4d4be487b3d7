// Which Sluice this is.
#pragma once

#include <string_view>

namespace sluice {

/// "0.1.0", from CMakeLists.txt.
[[nodiscard]] std::string_view version();

}  // namespace sluice
