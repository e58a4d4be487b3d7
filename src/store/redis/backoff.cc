#include "store/redis/backoff.h"

#include <cstdint>

#include "base/assert.h"
#include "base/random.h"
#include "base/time.h"

namespace sluice::store::redis {

Backoff::Backoff(Random& random, Duration first, Duration last)
    : random_(random), first_(first), last_(last), step_(first) {
  SLUICE_ASSERT(Duration::zero() < first && first <= last);
}

Duration Backoff::next() {
  const Duration half = step_ / 2;
  const auto spread = static_cast<std::uint64_t>((step_ - half).count()) + 1;
  const Duration wait = half + Duration(static_cast<Duration::rep>(random_.next() % spread));
  step_ = step_ > last_ / 2 ? last_ : step_ * 2;
  return wait;
}

}  // namespace sluice::store::redis
