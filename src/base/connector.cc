#include "base/connector.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/address.h"
#include "base/result.h"
#include "base/text.h"

namespace sluice {
namespace {

/// Longest path a Unix socket can have on Linux, and longest name that DNS can hold.
constexpr std::size_t kMaxPath = 107;
constexpr std::size_t kMaxName = 253;

bool is_name_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto number = std::ranges::all_of(text, is_digit) ? parse_int(text) : std::nullopt;
  if (!number || *number < 1 || *number > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

/// What is wrong with a host outside of brackets; empty if nothing is.
std::string_view fault_of_name(std::string_view host) {
  if (host.empty()) return "has no host";
  if (host.contains(':')) return "has an IPv6 address without brackets, or more than one port";
  if (host.size() > kMaxName) return "has a host name of more than 253 bytes";
  if (!std::ranges::all_of(host, is_name_char)) return "has a host that is neither a name nor an address";
  // Resolvers read 10.1 and 300.0.0.1 each in a way of their own; no top-level domain is a number.
  const std::string_view last = host.substr(host.rfind('.') + 1);
  const bool numeric = !last.empty() && std::ranges::all_of(last, is_digit);
  if (numeric && !Address::parse_unmapped(host)) return "has an IPv4 address that is none";
  return {};
}

Result<Endpoint> parse_path(std::string_view text) {
  if (text.size() > kMaxPath) {
    return failure(fmt::format("\"{}\" is too long for the path of a Unix socket: at most {} bytes",
                               printable(text), kMaxPath));
  }
  if (text.contains('\0')) return failure(fmt::format("\"{}\" has a zero byte in it", printable(text)));
  return Endpoint{.path = std::string(text)};
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view text) {
  if (text.starts_with('/')) return parse_path(text);
  const auto wrong = [&](std::string_view what) {
    return failure(fmt::format("\"{}\" {}; write redis:6379, 10.0.0.7:6379, [::1]:6379 or /run/redis.sock",
                               printable(text), what));
  };
  if (text.contains('/')) return wrong("is no absolute path");
  const bool bracketed = text.starts_with('[');
  const std::size_t host_end = bracketed ? text.find(']') : text.rfind(':');
  const std::size_t colon = bracketed && host_end != std::string_view::npos ? host_end + 1 : host_end;
  if (colon >= text.size() || text[colon] != ':') return wrong("has no port");

  std::string_view host = text.substr(0, host_end);
  if (bracketed) {
    host.remove_prefix(1);
    // Of a zone Address takes any byte, but a resolver ends at a zero one, and logs show it.
    if (!host.contains(':') || !std::ranges::all_of(host, is_graphic) || !Address::parse(host))
      return wrong("has no IPv6 address in its brackets");
  } else if (const std::string_view fault = fault_of_name(host); !fault.empty()) {
    return wrong(fault);
  }
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return wrong("has no port from 1 to 65535");
  return Endpoint{.host = std::string(host), .port = *port};
}

std::string Endpoint::text() const {
  if (!path.empty()) return path;
  return host.contains(':') ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Result<ShardAddress> ShardAddress::parse(std::string_view text) {
  constexpr std::size_t kMaxShardName = 64;
  const std::size_t equals = text.find('=');
  const bool named = !text.starts_with('/') && equals != std::string_view::npos;
  const std::string_view name = named ? text.substr(0, equals) : text;
  if (named && (name.empty() || name.size() > kMaxShardName || !std::ranges::all_of(name, is_name_char))) {
    return failure(
        fmt::format("\"{}\" has a name that is not 1 to {} letters, digits and _ . -; write "
                    "a=redis-a:6379, or the address alone",
                    printable(text), kMaxShardName));
  }
  auto endpoint = Endpoint::parse(named ? text.substr(equals + 1) : text);
  if (!endpoint) return std::unexpected(endpoint.error());
  return ShardAddress{.name = std::string(name), .endpoint = *std::move(endpoint)};
}

}  // namespace sluice
