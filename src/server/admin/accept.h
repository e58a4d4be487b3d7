// What a client says it can read (RFC 9110 §12.5.1).
#pragma once

#include <optional>
#include <string_view>

#include "server/admin/admin_source.h"

namespace sluice::server {

/// A representation on offer: "text/plain" in version "0.0.4". Without a version, those that clients ask for
/// are ignored.
struct MediaType {
  std::string_view type;
  std::string_view version{};
};

/// How much `accept`, the values of Accept joined by commas, wants the offer: 0 (not at all) to 1000. An
/// empty value wants everything. The most specific range that fits decides; among equals the greatest. A
/// range with another version than the offer's does not fit it; other parameters are ignored, and so are
/// ranges that cannot be read.
[[nodiscard]] int quality_of(std::string_view accept, const MediaType& offer);

/// The format of /metrics. OpenMetrics only for who likes it better than the text format; nothing when
/// neither will do.
[[nodiscard]] std::optional<MetricsFormat> metrics_format(std::string_view accept);

}  // namespace sluice::server
