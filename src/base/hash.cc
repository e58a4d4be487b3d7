#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <xxhash.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/random.h"

namespace sluice {

KeyedHash::KeyedHash(Random& random) {
  static_assert(kSecretBytes >= XXH3_SECRET_SIZE_MIN);
  for (std::size_t at = 0; at < secret_.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t bits = random.next();
    std::memcpy(secret_.data() + at, &bits, sizeof bits);
  }
}

std::uint64_t KeyedHash::operator()(std::string_view bytes) const {
  return XXH3_64bits_withSecret(bytes.data(), bytes.size(), secret_.data(), secret_.size());
}

std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Sha256 sha256(std::string_view bytes) {
  Sha256 digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return digest;
}

bool equal_in_constant_time(const Sha256& a, const Sha256& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string to_hex(const Sha256& digest) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(digest.size() * 2);
  for (const unsigned char byte : digest) out.append({kHex[byte >> 4U], kHex[byte & 15U]});
  return out;
}

}  // namespace sluice
