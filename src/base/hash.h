// Hashing: a keyed one for tables that strangers fill, SHA-256 for secrets and over-long keys.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/random.h"

namespace sluice {

/// Hash for tables whose keys come from requests. Its secret is drawn at start, so that nobody outside can
/// choose keys that meet in one bucket. XXH3 (xxHash library) with a secret of its own: fast, not
/// cryptographic.
class KeyedHash {
 public:
  using is_transparent = void;
  explicit KeyedHash(Random& random);
  [[nodiscard]] std::uint64_t operator()(std::string_view bytes) const;

 private:
  static constexpr std::size_t kSecretBytes = 192;
  std::array<unsigned char, kSecretBytes> secret_{};
};

/// The same number for the same bytes and seed in every process and every version: for what a fleet must
/// agree on. XXH3, whose results are fixed. Not for tables that strangers fill.
[[nodiscard]] std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed = 0);

using Sha256 = std::array<unsigned char, 32>;

[[nodiscard]] Sha256 sha256(std::string_view bytes);

/// Takes the same time wherever the first difference is.
[[nodiscard]] bool equal_in_constant_time(const Sha256& a, const Sha256& b);

/// Lower-case hexadecimal.
[[nodiscard]] std::string to_hex(const Sha256& digest);

}  // namespace sluice
