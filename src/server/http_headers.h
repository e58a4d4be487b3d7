// The rate-limit header families.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/engine.h"
#include "server/http_options.h"

namespace sluice::server {

using HeaderList = std::vector<std::pair<std::string_view, std::string>>;

/// Appends the families that `options` turns on:
/// - X-RateLimit-Limit, -Remaining, -Reset of the tightest rule; Reset is the time until it is full again,
/// rounded up.
/// - RateLimit of the tightest rule and RateLimit-Policy of every enforced limit, in the chosen dialect, each
/// as one
///   line. The effective window (t, w) is retry-after when nothing is left, else reset-after; at least 1,
///   left out when waiting does not help. Policy w is the period in whole seconds, at least 1, left out for
///   civil windows.
/// - Retry-After on denials: whole seconds, rounded up, at least 1; left out for "never".
/// - X-RateLimit-Warning: names of the rules past their warn_at.
/// Nothing when no limit took part. Integers are cut to the 15 digits that structured fields allow.
void append_rate_limit_headers(const engine::CheckResult& result, const HttpOptions& options, WallTime now,
                               HeaderList& headers);

}  // namespace sluice::server
