// IP addresses as bits: one host has one form however its address is spelt.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice {

/// An IPv4 or IPv6 address.
class Address {
 public:
  enum class Kind : std::uint8_t { ipv4, ipv6 };

  /// Strict dotted or colon notation, of a client: a %zone is cut off an IPv6 address, and an IPv4-mapped one
  /// (::ffff:0:0/96) is the IPv4 address. NAT64 and the other IPv6 forms that embed IPv4 stay IPv6.
  [[nodiscard]] static std::optional<Address> parse(std::string_view text);
  /// The same notation without zone, taken as it is: a mapped address stays IPv6.
  [[nodiscard]] static std::optional<Address> parse_unmapped(std::string_view text);

  /// `bytes` in the order of the network: 4 of IPv4, 16 of IPv6.
  [[nodiscard]] static Address from_bytes(Kind kind, std::string_view bytes);

  [[nodiscard]] Kind kind() const { return form_[0] == kTagIpv4 ? Kind::ipv4 : Kind::ipv6; }
  /// 32 or 128.
  [[nodiscard]] int bits() const { return kind() == Kind::ipv4 ? kIpv4Bits : kIpv6Bits; }
  [[nodiscard]] bool is_mapped_ipv4() const;
  /// The IPv4 address in a mapped one; is_mapped_ipv4() must hold.
  [[nodiscard]] Address unmapped() const;

  /// All but the leading `prefix` bits (0 … bits()) cleared.
  [[nodiscard]] Address masked(int prefix) const;

  /// A tag for the kind, then the 4 or 16 bytes: equal exactly for equal addresses.
  [[nodiscard]] std::string_view form() const;
  [[nodiscard]] std::string text() const;

  bool operator==(const Address&) const = default;

  static constexpr char kTagIpv4 = '4';
  static constexpr char kTagIpv6 = '6';
  static constexpr int kIpv4Bits = 32;
  static constexpr int kIpv6Bits = 128;

 private:
  Address(Kind kind, std::string_view bytes);
  std::array<char, 17> form_{};  ///< tag and bytes; zero beyond the 4 of IPv4
};

/// Addresses that share their leading bits.
struct Cidr {
  Address network;
  int prefix = 0;

  [[nodiscard]] bool contains(const Address& address) const;
  /// One address and no more.
  [[nodiscard]] bool is_single() const { return prefix == network.bits(); }
};

/// "10.0.0.0/8", "2001:db8::/32", or an address alone. Blocks within ::ffff:0:0/96 become IPv4 ones, since
/// that is how addresses are classified. Refuses bits beyond the prefix, naming the network that may have
/// been meant.
[[nodiscard]] Result<Cidr> parse_cidr(std::string_view text);

}  // namespace sluice
