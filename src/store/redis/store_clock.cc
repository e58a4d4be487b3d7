#include "store/redis/store_clock.h"

#include <chrono>
#include <optional>

#include "base/time.h"

namespace sluice::store::redis {

void StoreClock::heard(WallTime now) {
  heard_ = Heard{.store = now, .here = clock_.now()};
}

WallTime StoreClock::expected_now() {
  return heard_ ? heard_->store + (clock_.now() - heard_->here) : own_time();
}

std::optional<WallTime> StoreClock::client_time() {
  if (source_ == Source::server) return std::nullopt;
  return own_time();
}

WallTime StoreClock::own_time() {
  return std::chrono::floor<std::chrono::microseconds>(wall_.advance(clock_.now(), clock_.wall_now()));
}

}  // namespace sluice::store::redis
