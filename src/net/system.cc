#include "net/system.h"

#include <sys/random.h>
#include <sys/types.h>

#include <cstdint>

#include "base/assert.h"

namespace sluice::net {

std::uint64_t SystemRandom::next() {
  if (left_ == 0) {
    // Neither short nor interrupted at this size, and present in every kernel that we run on.
    const ssize_t got = ::getrandom(words_.data(), sizeof(words_), 0);
    SLUICE_ASSERT(got == ssize_t{sizeof(words_)});
    left_ = words_.size();
  }
  return words_.at(--left_);
}

}  // namespace sluice::net
