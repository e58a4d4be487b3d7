#include "net/socket_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <uv.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text.h"

namespace sluice::net {

Result<SocketAddress> SocketAddress::parse(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return failure(fmt::format("\"{}\" {}; write it as 127.0.0.1:7379 or [::1]:7379", printable(text), what));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return wrong("has no port");
  const auto port = parse_int(text.substr(colon + 1));
  if (!port || *port < 0 || *port > std::numeric_limits<std::uint16_t>::max())
    return wrong("has no valid port");

  // The library reads C strings: it would take what comes before a zero byte for the whole.
  if (text.contains('\0')) return wrong("has a zero byte in it");
  std::string host{text.substr(0, colon)};
  const bool bracketed = host.size() >= 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (equals_ignoring_case(host, "localhost")) host = "127.0.0.1";

  SocketAddress address;
  const int port_number = static_cast<int>(*port);
  if (bracketed) {
    sockaddr_in6 v6{};
    if (uv_ip6_addr(host.c_str(), port_number, &v6) != 0) return wrong("has no IPv6 address in its brackets");
    std::memcpy(&address.storage_, &v6, sizeof(v6));
    address.size_ = sizeof(v6);
  } else {
    sockaddr_in v4{};
    if (uv_ip4_addr(host.c_str(), port_number, &v4) != 0)
      return wrong("has no IP address, and names are not looked up");
    std::memcpy(&address.storage_, &v4, sizeof(v4));
    address.size_ = sizeof(v4);
  }
  return address;
}

std::string SocketAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> host{};
  if (family() == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &storage_, sizeof(v4));
    uv_ip4_name(&v4, host.data(), host.size());
    return fmt::format("{}:{}", host.data(), ntohs(v4.sin_port));
  }
  if (family() == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &storage_, sizeof(v6));
    uv_ip6_name(&v6, host.data(), host.size());
    return fmt::format("[{}]:{}", host.data(), ntohs(v6.sin6_port));
  }
  return "unknown";
}

}  // namespace sluice::net
