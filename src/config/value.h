// From a value of the document to the field of a setting. Internal to config/.
#pragma once

#include <cstdint>
#include <string>

#include "config/document.h"
#include "config/table.h"

namespace sluice::config {

/// Checks `value` against the setting's row and puts it into `slot`. What is wrong is added to `faults`, each
/// at its own place within the value; the slot is then left as it was.
void read_value(const Setting& setting, const Value& value, Slot slot, Faults& faults);

/// A bound of an integer, duration or mode as it is written in the file (without quotes).
[[nodiscard]] std::string format_bound(Type type, std::int64_t bound);

}  // namespace sluice::config
