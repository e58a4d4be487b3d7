// Checks for our own mistakes. They stay on in release builds; a peer's bytes are never the reason for one.
#pragma once

namespace sluice {

/// Prints the condition and its place, then aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace sluice

// A macro, because the text of the condition and the caller's line are the message.
#define SLUICE_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::sluice::assertion_failed(#condition, __FILE__, __LINE__))
