#include "net/timer_queue.h"

#include <functional>
#include <optional>
#include <utility>

#include "base/loop.h"
#include "base/time.h"

namespace sluice::net {

TimerId TimerQueue::add(Instant at, std::function<void()> fire) {
  const TimerId timer = ++newest_;
  waiting_.emplace(Due{at, timer}, std::move(fire));
  due_at_.emplace(timer, at);
  return timer;
}

void TimerQueue::remove(TimerId timer) {
  const auto found = due_at_.find(timer);
  if (found == due_at_.end()) return;
  // Taken out first and destroyed last: what the callback holds may stop timers in its own destructor.
  const auto removed = waiting_.extract(Due{found->second, timer});
  due_at_.erase(found);
}

std::optional<Instant> TimerQueue::earliest() const {
  if (waiting_.empty()) return std::nullopt;
  return waiting_.begin()->first.first;
}

std::function<void()> TimerQueue::take_due(Instant now, TimerId newest) {
  if (waiting_.empty()) return {};
  const auto [at, timer] = waiting_.begin()->first;
  // A newer timer at the front hides no older one: it cannot be due before the moment at which it was
  // started.
  if (at > now || timer > newest) return {};
  due_at_.erase(timer);
  return std::move(waiting_.extract(waiting_.begin()).mapped());
}

}  // namespace sluice::net
