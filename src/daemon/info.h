// Lines of INFO, as Redis has them. Internal to daemon/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::daemon {

inline void info_line(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(":").append(value).append("\r\n");
}

inline void info_line(std::string& out, std::string_view name, std::uint64_t value) {
  info_line(out, name, std::string_view(std::to_string(value)));
}

}  // namespace sluice::daemon
