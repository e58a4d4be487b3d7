#include "observe/events.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/assert.h"
#include "observe/log.h"

namespace sluice::observe {

void Events::raise(Event event, Logged logged) {
  event.time = clock_.wall_now();
  const auto* const kind = std::ranges::find(kEventKinds, event.kind);
  SLUICE_ASSERT(kind != kEventKinds.end());
  ++counts_.at(static_cast<std::size_t>(kind - kEventKinds.begin()));
  if (logged == Logged::no) write_line(event);
  recent_.push_front(std::move(event));
  if (recent_.size() > kKept) recent_.pop_back();
  if (sink_ != nullptr) sink_->on_event(recent_.front());
}

void Events::write_line(const Event& event) {
  // Lines of one message are bounded together: here all events.
  log_.write(event.level, "event",
             {{.name = "kind", .value = event.kind},
              {.name = "what", .value = event.message},
              {.name = "rule", .value = event.rule.value_or("-")},
              {.name = "key", .value = event.key_hash.value_or("-")},
              {.name = "count", .value = event.count ? std::to_string(*event.count) : "-"}});
}

}  // namespace sluice::observe
