#include "daemon/redis_options.h"

#include <unistd.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/result.h"
#include "config/settings.h"
#include "daemon/secret.h"
#include "net/uv_loop.h"
#include "observe/log.h"
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

Result<std::unique_ptr<Secret>> open_secret(net::UvLoop& loop, observe::Log& log, std::string setting,
                                            const std::string& path) {
  if (path.empty()) return nullptr;
  return Secret::open(loop, log, std::move(setting), path);
}

redis::ConnectionOptions connection_options(const config::Settings::Store::Redis& settings,
                                            const std::string& username, const Secret* secret) {
  redis::ConnectionOptions options;
  options.client_name = "sluiced-" + std::to_string(getpid());
  options.connect_timeout = settings.connect_timeout;
  options.command_timeout = settings.timeout;
  if (secret != nullptr) {
    // Asked at each attempt, so that a changed password is the next one used.
    options.credentials = [username, secret] {
      return redis::Credentials{.username = username, .password = secret->text()};
    };
  }
  return options;
}

}  // namespace

Result<RedisSecrets> open_secrets(net::UvLoop& loop, observe::Log& log,
                                  const config::Settings::Store::Redis& settings) {
  auto data = open_secret(loop, log, "store.redis.password_file", settings.login.password_file);
  if (!data) return std::unexpected(data.error());
  auto sentinels = open_secret(loop, log, "store.redis.sentinel_auth.password_file",
                               settings.sentinel_login.password_file);
  if (!sentinels) return std::unexpected(sentinels.error());
  return RedisSecrets{.data = *std::move(data), .sentinels = *std::move(sentinels)};
}

Result<redis::TopologyOptions> topology_options(const config::Settings::Store& settings,
                                                const RedisSecrets& secrets) {
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
  options.store.connection = connection_options(wanted, wanted.login.username, secrets.data.get());
  options.sentinel = connection_options(wanted, wanted.sentinel_login.username, secrets.sentinels.get());
  return options;
}

}  // namespace sluice::daemon
