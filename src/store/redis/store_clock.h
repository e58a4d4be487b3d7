// What time it is at the store.
#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/steady_wall.h"
#include "base/time.h"

namespace sluice::store::redis {

/// The server's clock decides. It is only read with each answer, so in between this one runs on by the
/// monotonic clock. For servers without a clock that scripts may read, this process's own is sent along.
class StoreClock {
 public:
  explicit StoreClock(const Clock& clock) : clock_(clock) {}

  enum class Source : std::uint8_t { server, client };
  void set_source(Source source) { source_ = source; }

  /// An answer said so.
  void heard(WallTime now);
  /// About what the store's clock shows.
  [[nodiscard]] WallTime expected_now();
  /// What to send along: nothing if the server has a clock. Whole microseconds; never goes back.
  [[nodiscard]] std::optional<WallTime> client_time();
  /// This process's own, whole microseconds; never goes back.
  [[nodiscard]] WallTime own_time();

 private:
  struct Heard {
    WallTime store{};
    Instant here{};
  };
  const Clock& clock_;
  SteadyWall wall_;
  Source source_ = Source::server;
  std::optional<Heard> heard_;
};

}  // namespace sluice::store::redis
