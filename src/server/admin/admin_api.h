// The endpoints of the admin listener: one request → one response.
#pragma once

#include <cstdint>
#include <string>

#include "server/admin/admin_source.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {

enum class AdminBody : std::uint8_t {
  whole,   ///< in the response
  stream,  ///< events that follow the head for as long as the client listens
};

struct AdminAnswer {
  wire::http1::Response response;
  AdminBody body = AdminBody::whole;
};

/// Reads only, and only GET and HEAD: /, /metrics, /healthz, /readyz, /v1/stats, /v1/top, /v1/stream. What it
/// refuses is application/problem+json: 404, 405, 406, and 400 for a query of /v1/top that makes no sense.
class AdminApi {
 public:
  /// `source` outlives it.
  explicit AdminApi(AdminSource& source) : source_(source) {}
  [[nodiscard]] AdminAnswer handle(const wire::http1::Request& request);

 private:
  AdminSource& source_;
};

/// An error with the headers that every admin answer has.
[[nodiscard]] wire::http1::Response admin_problem(int status, std::string detail);

}  // namespace sluice::server
