// HTTP responses made of decisions: bodies in JSON, and the rate-limit headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "engine/engine.h"
#include "server/http_options.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {

/// An error as application/problem+json: status, its title, and `detail` for the person who can mend it.
[[nodiscard]] wire::http1::Response problem(int status, std::string detail);

/// Of check, peek, refund: 200 or 429, the decision and every rule that took part. `now` is for epoch
/// headers.
[[nodiscard]] wire::http1::Response decision_response(const engine::CheckResult& result,
                                                      const HttpOptions& options, WallTime now);

/// Of reset: how many counters were forgotten.
[[nodiscard]] wire::http1::Response reset_response(const engine::CheckResult& result);

/// Of authorize: 200 without a body, or `deny_status` with a problem.
[[nodiscard]] wire::http1::Response authorize_response(const engine::CheckResult& result,
                                                       const HttpOptions& options, int deny_status,
                                                       WallTime now);

/// One element of a batch's "results": the JSON object of a decision, as in decision_response's body of an
/// allowed check.
[[nodiscard]] std::string decision_json(const engine::CheckResult& result);

}  // namespace sluice::server
