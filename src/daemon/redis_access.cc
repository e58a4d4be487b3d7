#include "daemon/redis_access.h"

#include <unistd.h>

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/connector.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/secret.h"
#include "daemon/transport.h"
#include "net/uv_loop.h"
#include "observe/log.h"

namespace sluice::daemon {
namespace {

/// One kind of servers.
struct Way {
  std::unique_ptr<Transport> transport;
  std::unique_ptr<Secret> password;  ///< null: none
};

class SocketAccess final : public RedisAccess {
 public:
  SocketAccess(Way data, Way sentinels) : data_(std::move(data)), sentinels_(std::move(sentinels)) {}

  Connector& data() override { return data_.transport->connector(); }
  Connector& sentinels() override { return sentinels_.transport->connector(); }
  [[nodiscard]] std::function<std::string()> data_password() const override { return password_of(data_); }
  [[nodiscard]] std::function<std::string()> sentinel_password() const override {
    return password_of(sentinels_);
  }
  [[nodiscard]] std::string client_name() const override { return "sluiced-" + std::to_string(getpid()); }

 private:
  static std::function<std::string()> password_of(const Way& way) {
    if (!way.password) return {};
    return [secret = way.password.get()] { return secret->text(); };
  }

  Way data_;
  Way sentinels_;
};

Result<Way> open_way(net::UvLoop& loop, observe::Log& log, const std::string& table,
                     const config::Settings::Store::Tls& tls, const std::string& password_setting,
                     const std::string& password_file) {
  Way way;
  if (!password_file.empty()) {
    auto secret = Secret::open(loop, log, password_setting, password_file);
    if (!secret) return std::unexpected(secret.error());
    way.password = *std::move(secret);
  }
  auto transport = Transport::make(loop, log, table, tls);
  if (!transport) return std::unexpected(transport.error());
  way.transport = *std::move(transport);
  return way;
}

}  // namespace

Result<std::unique_ptr<RedisAccess>> open_redis_access(net::UvLoop& loop, observe::Log& log,
                                                       const config::Settings::Store::Redis& settings) {
  auto data = open_way(loop, log, "store.redis.tls", settings.tls, "store.redis.password_file",
                       settings.login.password_file);
  if (!data) return std::unexpected(data.error());
  auto sentinels = open_way(loop, log, "store.redis.sentinel_tls", settings.sentinel_tls,
                            "store.redis.sentinel_auth.password_file", settings.sentinel_login.password_file);
  if (!sentinels) return std::unexpected(sentinels.error());
  return std::make_unique<SocketAccess>(*std::move(data), *std::move(sentinels));
}

}  // namespace sluice::daemon
