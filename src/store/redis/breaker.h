// Keeps requests from a server that answers them with errors. Pure; one per server.
#pragma once

#include <chrono>

#include "base/random.h"
#include "base/time.h"

namespace sluice::store::redis {

/// Closed until several requests in a row failed; then open for a while, in which nothing is asked; then one
/// request is let through as a probe. If that is answered well it closes, else it opens again for twice as
/// long. So a server that is in trouble gets a few requests a second instead of one for each check.
class Breaker {
 public:
  explicit Breaker(Random& random) : random_(random) {}

  /// Whether a request may be sent now. If so, succeeded() or failed() must follow.
  [[nodiscard]] bool allows(Instant now);
  void succeeded();
  void failed(Instant now);

  [[nodiscard]] bool open() const { return open_; }

  static constexpr int kFailures = 5;
  static constexpr Duration kFirst = std::chrono::milliseconds{50};
  static constexpr Duration kLast = std::chrono::seconds{2};

 private:
  Random& random_;
  int failures_ = 0;  ///< in a row
  bool open_ = false;
  bool probing_ = false;
  Instant until_{};  ///< while open: no probe before
  Duration pause_ = kFirst;
};

}  // namespace sluice::store::redis
