#include "store/redis/breaker.h"

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace sluice::store::redis {

bool Breaker::allows(Instant now) {
  if (!open_) return true;
  if (probing_ || now < until_) return false;
  probing_ = true;
  return true;
}

void Breaker::succeeded() {
  failures_ = 0;
  open_ = false;
  probing_ = false;
  pause_ = kFirst;
}

void Breaker::failed(Instant now) {
  // Those that were under way when it opened tell nothing new.
  if (open_ && !probing_) return;
  if (!open_ && ++failures_ < kFailures) return;
  // A random half to whole of the pause, so that a fleet does not probe all at once.
  const auto half = static_cast<std::uint64_t>(pause_.count() / 2);
  until_ = now + pause_ / 2 + Duration{static_cast<Duration::rep>(random_.next() % (half + 1))};
  pause_ = std::min(pause_ * 2, kLast);
  open_ = true;
  probing_ = false;
}

}  // namespace sluice::store::redis
