// An event as JSON.
#pragma once

#include <string>

#include "observe/events.h"

namespace sluice::observe {

/// One object on one line: {"time_ms","level","kind","message","rule","key","count"}, the last three null
/// where the event has none. What is not printable ASCII becomes \xNN.
[[nodiscard]] std::string event_json(const Event& event);

}  // namespace sluice::observe
