// The checksum by which Redis Cluster divides keys into slots.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::store::redis {

inline constexpr std::uint16_t kSlots = 16384;

/// CRC-16/XMODEM: polynomial 0x1021, begins with 0, nothing reflected. Bit by bit: only a few short names are
/// ever hashed with it.
[[nodiscard]] constexpr std::uint16_t crc16(std::string_view bytes) {
  constexpr unsigned kPolynomial = 0x1021;
  constexpr unsigned kTop = 0x8000;
  unsigned crc = 0;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(byte)) << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & kTop) != 0 ? (crc << 1U) ^ kPolynomial : crc << 1U;
    crc &= 0xffffU;
  }
  return static_cast<std::uint16_t>(crc);
}

/// Of all keys that have {tag} in their name.
[[nodiscard]] constexpr std::uint16_t slot_of_tag(std::string_view tag) {
  return crc16(tag) % kSlots;
}

}  // namespace sluice::store::redis
