// What single settings demand beyond their type. Each returns what is wrong, to be said after the setting's
// key, or nothing. Internal to config/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::config {

/// Longest path of a Unix socket on Linux: sun_path holds 108 bytes with the final NUL.
inline constexpr std::size_t kMaxSocketPath = 107;

/// An absolute path that fits into a socket address.
[[nodiscard]] std::optional<std::string> check_socket_path(std::string_view path);

/// "host:port" with a loopback host (127.0.0.0/8, [::1], localhost) and a port up to 65535; 0 lets the system
/// choose. Other hosts are refused because the protocols know no authentication.
[[nodiscard]] std::optional<std::string> check_loopback_address(std::string_view address);

/// Not empty.
[[nodiscard]] std::optional<std::string> check_not_empty(std::string_view text);

}  // namespace sluice::config
