#include "base/address.h"

#include <arpa/inet.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/result.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::size_t kIpv4Bytes = 4;
constexpr std::size_t kIpv6Bytes = 16;
constexpr int kMappedBits = 96;
constexpr std::string_view kMappedPrefix("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);

/// inet_pton wants a C string: what is too long or would end early is no address.
bool to_bytes(int family, std::string_view text, char* bytes) {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  if (text.size() >= buffer.size() || text.find('\0') != std::string_view::npos) return false;
  std::ranges::copy(text, buffer.begin());
  return inet_pton(family, buffer.data(), bytes) == 1;
}

/// 0 … `bits`, as people write it: no sign, no leading zero.
std::optional<int> parse_prefix(std::string_view text, int bits) {
  const bool plain =
      !text.empty() && text[0] >= '0' && text[0] <= '9' && (text[0] != '0' || text.size() == 1);
  const auto number = plain ? parse_int(text) : std::nullopt;
  if (!number || *number > bits) return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

Address::Address(Kind kind, std::string_view bytes) {
  form_[0] = kind == Kind::ipv4 ? kTagIpv4 : kTagIpv6;
  std::ranges::copy(bytes, form_.begin() + 1);
}

Address Address::from_bytes(Kind kind, std::string_view bytes) {
  SLUICE_ASSERT(bytes.size() == (kind == Kind::ipv4 ? kIpv4Bytes : kIpv6Bytes));
  return {kind, bytes};
}

std::optional<Address> Address::parse_unmapped(std::string_view text) {
  std::array<char, kIpv6Bytes> bytes{};
  if (to_bytes(AF_INET, text, bytes.data())) return Address(Kind::ipv4, {bytes.data(), kIpv4Bytes});
  if (to_bytes(AF_INET6, text, bytes.data())) return Address(Kind::ipv6, {bytes.data(), kIpv6Bytes});
  return std::nullopt;
}

std::optional<Address> Address::parse(std::string_view text) {
  const std::size_t zone = text.find('%');
  if (zone != std::string_view::npos) {
    const bool has_name = zone + 1 < text.size();
    text = text.substr(0, zone);
    if (!has_name || text.find(':') == std::string_view::npos) return std::nullopt;
  }
  const auto address = parse_unmapped(text);
  return address && address->is_mapped_ipv4() ? address->unmapped() : address;
}

bool Address::is_mapped_ipv4() const {
  return kind() == Kind::ipv6 && form().substr(1, kMappedPrefix.size()) == kMappedPrefix;
}

Address Address::unmapped() const {
  SLUICE_ASSERT(is_mapped_ipv4());
  return {Kind::ipv4, form().substr(1 + kMappedPrefix.size())};
}

Address Address::masked(int prefix) const {
  SLUICE_ASSERT(prefix >= 0 && prefix <= bits());
  constexpr int kByteBits = 8;
  Address out = *this;
  int left = prefix;
  for (char& byte : std::span(out.form_).subspan(1)) {
    const int kept = std::min(left, kByteBits);
    byte = static_cast<char>(static_cast<unsigned char>(byte) & (0xff00U >> static_cast<unsigned>(kept)));
    left -= kept;
  }
  return out;
}

std::string_view Address::form() const {
  return {form_.data(), 1 + (kind() == Kind::ipv4 ? kIpv4Bytes : kIpv6Bytes)};
}

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const int family = kind() == Kind::ipv4 ? AF_INET : AF_INET6;
  const char* text = inet_ntop(family, form_.data() + 1, buffer.data(), buffer.size());
  SLUICE_ASSERT(text != nullptr);
  return text;
}

bool Cidr::contains(const Address& address) const {
  return address.kind() == network.kind() && address.masked(prefix) == network;
}

Result<Cidr> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto address = Address::parse_unmapped(text.substr(0, slash));
  if (!address) {
    return failure(
        fmt::format("\"{}\" is not an address: write \"*\", an address, or a CIDR block such as 10.0.0.0/8 "
                    "or 2001:db8::/32",
                    printable(text)));
  }
  int prefix = address->bits();
  if (slash != std::string_view::npos) {
    const auto written = parse_prefix(text.substr(slash + 1), address->bits());
    if (!written) {
      return failure(
          fmt::format("\"{}\" must end in a prefix length from /0 to /{}", printable(text), address->bits()));
    }
    prefix = *written;
  }
  const Address network = address->masked(prefix);
  if (network != *address) {
    return failure(fmt::format("\"{}\" has bits set beyond its prefix; the network is {}/{}", printable(text),
                               network.text(), prefix));
  }
  if (network.is_mapped_ipv4() && prefix >= kMappedBits)
    return Cidr{network.unmapped(), prefix - kMappedBits};
  return Cidr{network, prefix};
}

}  // namespace sluice
