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

/// An absolute path of any length.
[[nodiscard]] std::optional<std::string> check_absolute_path(std::string_view path);

/// "host:port" with a loopback host (127.0.0.0/8, [::1], localhost) and a port up to 65535; 0 lets the system
/// choose. Other hosts are refused because the protocols know no authentication.
[[nodiscard]] std::optional<std::string> check_loopback_address(std::string_view address);

/// "address:port" with an IP address (an IPv6 one in brackets) or localhost, and a port as above.
[[nodiscard]] std::optional<std::string> check_listen_address(std::string_view address);

/// A name of an HTTP header: a token of RFC 9110.
[[nodiscard]] std::optional<std::string> check_header_name(std::string_view name);
/// The same, or empty.
[[nodiscard]] std::optional<std::string> check_header_name_or_empty(std::string_view name);

/// What Endpoint::parse of base/connector.h takes.
[[nodiscard]] std::optional<std::string> check_endpoint(std::string_view text);

/// What HttpUrl::parse of base/http_url.h takes.
[[nodiscard]] std::optional<std::string> check_webhook_url(std::string_view url);

/// 1 to 64 of A-Z a-z 0-9 _ . : -, what rules are named with, too.
[[nodiscard]] std::optional<std::string> check_key_prefix(std::string_view prefix);

/// What parse_cidr of base/address.h takes.
[[nodiscard]] std::optional<std::string> check_cidr(std::string_view text);

/// Begins with "/".
[[nodiscard]] std::optional<std::string> check_route(std::string_view route);

/// Not empty.
[[nodiscard]] std::optional<std::string> check_not_empty(std::string_view text);

}  // namespace sluice::config
