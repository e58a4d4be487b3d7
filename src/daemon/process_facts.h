// What the operating system knows of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace sluice::daemon {

/// Nothing where the system does not tell.
struct ProcessFacts {
  double cpu_seconds = 0;
  std::optional<std::uint64_t> resident_bytes{};
  std::optional<std::uint64_t> open_descriptors{};
  std::optional<std::uint64_t> max_descriptors{};
};

/// A few system calls; where the kernel does not count descriptors (before 6.2) they are not told, since to
/// list them takes a time that grows with their number.
[[nodiscard]] ProcessFacts process_facts();

}  // namespace sluice::daemon
