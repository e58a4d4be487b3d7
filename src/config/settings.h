// What one configuration file says, checked. Plain data; no TOML in here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "rules/spec.h"

namespace sluice::config {

struct Settings {
  struct Server {
    std::string socket;
    std::uint32_t socket_mode = 0;
    std::optional<std::int64_t> socket_gid;
    std::string tcp;  ///< empty: no TCP listener
    Duration max_wait{};
    std::int64_t max_connections = 0;
    Duration
        request_timeout{};  ///< for a request that has begun to arrive, and for a client to take its answers
  } server;
  struct Store {
    std::string kind;  ///< "memory"
    std::int64_t max_keys = 0;
  } store;
  struct Log {
    std::string level;   ///< debug | info | warn | error
    std::string format;  ///< text | json
  } log;
  rules::PolicySpec policy;
};

}  // namespace sluice::config
