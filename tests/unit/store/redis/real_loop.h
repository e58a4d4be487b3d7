// A real loop in a test that waits for real servers.
#pragma once

#include <chrono>
#include <functional>

#include "base/time.h"
#include "net/uv_loop.h"

namespace sluice::store::redis {

/// Runs the loop until `done`; false if that takes a minute.
inline bool run_until(net::UvLoop& loop, const std::function<bool()>& done) {
  const Instant end = loop.clock().now() + std::chrono::minutes{1};
  const std::function<void()> look = [&] {
    if (done() || loop.clock().now() > end) return loop.stop();
    loop.start_timer(std::chrono::milliseconds{1}, look);
  };
  loop.defer(look);
  loop.run();
  return done();
}

}  // namespace sluice::store::redis
