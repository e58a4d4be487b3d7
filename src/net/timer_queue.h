// Timers as data: what is due, in which order. No clock and no libuv in here.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/loop.h"
#include "base/time.h"

namespace sluice::net {

/// Ordered by due time, equal ones by start. Callbacks are handed out, never called from here, so that
/// whoever calls them may add and remove timers, its own among them.
class TimerQueue {
 public:
  TimerId add(Instant at, std::function<void()> fire);

  /// Does nothing for a timer that is gone, and for 0.
  void remove(TimerId timer);

  [[nodiscard]] std::optional<Instant> earliest() const;

  /// The timer added last; 0 before the first.
  [[nodiscard]] TimerId newest() const { return newest_; }

  /// Removes and returns the callback of the first timer that is due at `now` and not newer than `newest`
  /// (those were started by callbacks of the present turn); an empty function if there is none.
  [[nodiscard]] std::function<void()> take_due(Instant now, TimerId newest);

 private:
  using Due = std::pair<Instant, TimerId>;
  std::map<Due, std::function<void()>> waiting_;
  std::unordered_map<TimerId, Instant> due_at_;
  TimerId newest_ = 0;
};

}  // namespace sluice::net
