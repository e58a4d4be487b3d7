#include "config/checks.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/address.h"
#include "base/connector.h"
#include "base/http_url.h"
#include "base/text.h"

namespace sluice::config {
namespace {

/// Digits only, without a sign, up to `max`.
bool is_number_up_to(std::string_view text, std::int64_t max) {
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const auto number = parse_int(text);
  return number && *number <= max;
}

/// What comes before the last colon, if a port follows it.
std::optional<std::string_view> host_before_port(std::string_view address) {
  constexpr std::int64_t kMaxPort = 65535;
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || !is_number_up_to(address.substr(colon + 1), kMaxPort))
    return std::nullopt;
  return address.substr(0, colon);
}

/// As it stands before a port: an IPv6 one in brackets.
bool is_ip_address(std::string_view host) {
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  const auto parsed = Address::parse_unmapped(bracketed ? host.substr(1, host.size() - 2) : host);
  return parsed && bracketed == (parsed->kind() == Address::Kind::ipv6);
}

/// Dotted, four parts, the first 127.
bool is_loopback_ipv4(std::string_view host) {
  constexpr std::size_t kParts = 4;
  if (!host.starts_with("127.")) return false;
  std::size_t parts = 0;
  while (true) {
    const std::size_t dot = host.find('.');
    if (!is_number_up_to(host.substr(0, dot), 255)) return false;
    ++parts;
    if (dot == std::string_view::npos) return parts == kParts;
    host.remove_prefix(dot + 1);
  }
}

}  // namespace

std::optional<std::string> check_absolute_path(std::string_view path) {
  if (!path.starts_with('/')) return fmt::format("must be an absolute path, not \"{}\"", printable(path));
  if (path.find('\0') != std::string_view::npos) return "must not contain a NUL byte";
  return std::nullopt;
}

std::optional<std::string> check_socket_path(std::string_view path) {
  if (auto wrong = check_absolute_path(path)) return wrong;
  if (path.size() > kMaxSocketPath) {
    return fmt::format("is {} bytes long, but the path of a Unix socket can have at most {}", path.size(),
                       kMaxSocketPath);
  }
  return std::nullopt;
}

std::optional<std::string> check_loopback_address(std::string_view address) {
  const auto host = host_before_port(address);
  if (!host)
    return fmt::format(R"(must be "host:port" such as "127.0.0.1:7379", not "{}")", printable(address));
  if (*host == "localhost" || *host == "[::1]" || is_loopback_ipv4(*host)) return std::nullopt;
  return fmt::format(
      "must name a loopback address (127.0.0.0/8, [::1] or localhost), not \"{}\": the protocols have no "
      "authentication",
      printable(*host));
}

std::optional<std::string> check_listen_address(std::string_view address) {
  const auto host = host_before_port(address);
  if (host && (*host == "localhost" || is_ip_address(*host))) return std::nullopt;
  return fmt::format(
      R"(must be an IP address or localhost, and a port, such as "127.0.0.1:9464" or "[::]:9464", not "{}")",
      printable(address));
}

std::optional<std::string> check_header_name(std::string_view name) {
  constexpr std::string_view kTokenCharacters =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (!name.empty() && name.find_first_not_of(kTokenCharacters) == std::string_view::npos)
    return std::nullopt;
  return fmt::format(R"(must be a header name such as "X-User-Id", not "{}")", printable(name));
}

std::optional<std::string> check_header_name_or_empty(std::string_view name) {
  return name.empty() ? std::nullopt : check_header_name(name);
}

std::optional<std::string> check_endpoint(std::string_view text) {
  const auto endpoint = Endpoint::parse(text);
  if (endpoint) return std::nullopt;
  return "has a wrong address: " + endpoint.error().message;
}

std::optional<std::string> check_webhook_url(std::string_view url) {
  const auto read = HttpUrl::parse(url);
  if (read) return std::nullopt;
  return read.error().message;
}

std::optional<std::string> check_key_prefix(std::string_view prefix) {
  constexpr std::size_t kMaxBytes = 64;
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";
  const bool fits = !prefix.empty() && prefix.size() <= kMaxBytes;
  if (fits && prefix.find_first_not_of(kAllowed) == std::string_view::npos) return std::nullopt;
  return fmt::format("must be 1 to {} letters, digits and _ . : -, not \"{}\"", kMaxBytes, printable(prefix));
}

std::optional<std::string> check_cidr(std::string_view text) {
  const auto cidr = parse_cidr(text);
  if (cidr) return std::nullopt;
  // What parse_cidr says of other things also offers "*", which only patterns can be.
  if (!Address::parse_unmapped(text.substr(0, text.find('/')))) {
    return fmt::format(R"(must be addresses or CIDR blocks such as "10.0.0.0/8", not "{}")", printable(text));
  }
  return "has a wrong block: " + cidr.error().message;
}

std::optional<std::string> check_route(std::string_view route) {
  if (route.starts_with('/')) return std::nullopt;
  return fmt::format(R"(must begin with "/", not as "{}")", printable(route));
}

std::optional<std::string> check_not_empty(std::string_view text) {
  if (!text.empty()) return std::nullopt;
  return "must not be empty";
}

}  // namespace sluice::config
