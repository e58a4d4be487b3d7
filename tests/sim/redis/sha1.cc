#include "sim/redis/sha1.h"

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace sluice::sim {

std::string sha1_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  SLUICE_ASSERT(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha1(), nullptr) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < size; ++i) {
    hex += kDigits[digest.at(i) >> 4U];
    hex += kDigits[digest.at(i) & 15U];
  }
  return hex;
}

}  // namespace sluice::sim
