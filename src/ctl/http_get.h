// One blocking HTTP GET.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace sluice::ctl {

struct HttpReply {
  int status = 0;
  std::string body;
};

/// Asks the admin listener at `address` ("127.0.0.1:9464", "[::1]:9464", "localhost:9464") over a connection
/// of its own. All but the look-up of a name is bounded by `timeout`, and the body by 16 MiB. Errors name the
/// address and what to do.
[[nodiscard]] Result<HttpReply> http_get(const std::string& address, const std::string& target,
                                         Duration timeout);

}  // namespace sluice::ctl
