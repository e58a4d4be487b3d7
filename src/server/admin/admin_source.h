// What the admin listener shows: the daemon's numbers, already in the words of their formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace sluice::server {

enum class MetricsFormat : std::uint8_t {
  text,         ///< Prometheus' text format, version 0.0.4
  openmetrics,  ///< OpenMetrics 1.0.0, ends with "# EOF\n"
};

enum class TopBy : std::uint8_t { busiest, denied };

/// Which keys /v1/top lists.
struct TopQuery {
  TopBy by = TopBy::busiest;
  std::string rule{};      ///< empty: all rules
  std::size_t limit = 20;  ///< 1…100
};

struct Health {
  bool healthy = true;   ///< the loop turns
  bool ready = true;     ///< configured and listening; says nothing of the store
  std::string reason{};  ///< for people, where one of the two is false
};

/// Implemented by the daemon. All calls come from the loop and must not block; each costs what it renders, so
/// the server calls stats() once for all its streams.
class AdminSource {
 public:
  virtual ~AdminSource() = default;
  virtual void append_metrics(std::string& out, MetricsFormat format) = 0;
  /// One JSON object on one line.
  [[nodiscard]] virtual std::string stats() = 0;
  /// One JSON object on one line. Error: there is no such rule.
  [[nodiscard]] virtual Result<std::string> top(const TopQuery& query) = 0;
  [[nodiscard]] virtual Health health() = 0;
};

}  // namespace sluice::server
