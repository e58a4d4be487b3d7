#include "daemon/redis_options.h"

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/redis_access.h"
#include "store/redis/connection.h"
#include "store/redis/handshake.h"
#include "store/redis/topology.h"

namespace sluice::daemon {
namespace {

namespace redis = store::redis;
using Kind = redis::TopologyOptions::Kind;

Kind kind_of(std::string_view topology) {
  if (topology == "shards") return Kind::shards;
  if (topology == "sentinel") return Kind::sentinel;
  if (topology == "cluster") return Kind::cluster;
  return Kind::single;
}

redis::ConnectionOptions connection_options(const config::Settings::Store::Redis& settings,
                                            const std::string& client_name, const std::string& username,
                                            std::function<std::string()> password) {
  redis::ConnectionOptions options;
  options.client_name = client_name;
  options.connect_timeout = settings.connect_timeout;
  options.command_timeout = settings.timeout;
  if (password) {
    options.credentials = [username, password = std::move(password)] {
      return redis::Credentials{.username = username, .password = password()};
    };
  }
  return options;
}

}  // namespace

Result<redis::TopologyOptions> topology_options(const config::Settings::Store& settings,
                                                const RedisAccess& access) {
  const config::Settings::Store::Redis& wanted = settings.redis;
  redis::TopologyOptions options;
  options.kind = kind_of(wanted.topology);
  options.shards = wanted.shards;
  for (const std::string& text : wanted.sentinels) {
    auto endpoint = Endpoint::parse(text);
    if (!endpoint) return std::unexpected(endpoint.error());
    options.sentinels.push_back(*std::move(endpoint));
  }
  options.store.prefix = settings.prefix;
  options.store.repair_timeout = wanted.repair_timeout;
  options.store.connection =
      connection_options(wanted, access.client_name(), wanted.login.username, access.data_password());
  options.sentinel = connection_options(wanted, access.client_name(), wanted.sentinel_login.username,
                                        access.sentinel_password());
  return options;
}

}  // namespace sluice::daemon
