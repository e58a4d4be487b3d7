// Errors that several commands answer with.
#pragma once

#include "sim/redis/value.h"

namespace sluice::sim {

[[nodiscard]] inline Value wrong_type() {
  return Value::error("WRONGTYPE Operation against a key holding the wrong kind of value");
}
[[nodiscard]] inline Value not_an_integer() {
  return Value::error("ERR value is not an integer or out of range");
}

}  // namespace sluice::sim
