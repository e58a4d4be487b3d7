// Civil days, months and years in a named time zone, as intervals of WallTime.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace sluice::limiter {

enum class CalendarUnit : std::uint8_t { none, day, month, year };

/// Half open: [start, end).
struct Window {
  WallTime start;
  WallTime end;
};

/// One time zone's calendar. Immutable, safe to share. A day of a daylight-saving change has 23 or 25 hours;
/// where midnight does not exist the day starts at the first moment of that date; where it exists twice, at
/// the earlier one.
class Calendar {
 public:
  virtual ~Calendar() = default;
  /// The civil `unit` (not none) that holds `now`.
  [[nodiscard]] virtual Window window_at(WallTime now, CalendarUnit unit) const = 0;
  /// The zone's IANA name.
  [[nodiscard]] virtual std::string_view name() const = 0;
};

/// By IANA name ("Europe/Berlin") from the machine's tz database, through the `date` library. Fails, naming
/// the zone, when it is unknown or the machine has no database; "UTC" works without one.
[[nodiscard]] Result<std::shared_ptr<const Calendar>> load_calendar(std::string_view iana_name);

}  // namespace sluice::limiter
