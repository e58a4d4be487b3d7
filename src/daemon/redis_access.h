// How a daemon gets at the servers of its store: connections to them, and passwords.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/connector.h"
#include "base/result.h"
#include "config/settings.h"
#include "net/uv_loop.h"
#include "observe/log.h"

namespace sluice::daemon {

class RedisAccess {
 public:
  virtual ~RedisAccess() = default;
  [[nodiscard]] virtual Connector& data() = 0;
  [[nodiscard]] virtual Connector& sentinels() = 0;
  /// The password now; asked at each attempt to connect, so that a changed one is the next one used. An empty
  /// function: none is sent.
  [[nodiscard]] virtual std::function<std::string()> data_password() const = 0;
  [[nodiscard]] virtual std::function<std::string()> sentinel_password() const = 0;
  /// What we are called in the servers' list of clients.
  [[nodiscard]] virtual std::string client_name() const = 0;
};

/// Over sockets, by TLS and with the passwords in files as the settings have it; follows changes of the
/// files. The references must outlive it. The error says which setting is wrong, and in what.
[[nodiscard]] Result<std::unique_ptr<RedisAccess>> open_redis_access(
    net::UvLoop& loop, observe::Log& log, const config::Settings::Store::Redis& settings);

}  // namespace sluice::daemon
