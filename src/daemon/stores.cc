#include "daemon/stores.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <fstream>
#include <functional>
#include <ios>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "config/settings.h"
#include "engine/leased_store.h"
#include "lease/table.h"
#include "net/connector.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "rules/policy.h"
#include "store/memory/memory_store.h"
#include "store/redis/connection.h"
#include "store/redis/errors.h"
#include "store/redis/redis_store.h"
#include "store/store.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using observe::Level;
namespace redis = store::redis;

/// Idle keys are dropped even when no new ones come.
constexpr Duration kSweepEvery = 1s;
constexpr std::size_t kSweepBudget = 10'000;
/// Of a password file; more is a mistake.
constexpr std::size_t kMaxPasswordBytes = 4096;

void line(std::string& out, std::string_view name, std::uint64_t value) {
  out.append(name).append(":").append(std::to_string(value)).append("\r\n");
}

class MemoryBacking final : public Backing {
 public:
  MemoryBacking(net::UvLoop& loop, Random& random, std::size_t max_keys)
      : loop_(loop), store_(loop.clock(), random, {.max_keys = max_keys}) {}

  store::Store& store() override { return store_; }
  void start() override { arm_sweep(); }
  void set_policy(std::shared_ptr<const rules::Policy> /*policy*/) override {}
  void drain(std::function<void()> done) override { loop_.defer(std::move(done)); }
  void describe(std::string& out) const override {
    const store::MemoryStoreCounters& counters = store_.counters();
    out += "\r\n# Store\r\nstore_kind:memory\r\n";
    line(out, "store_keys", store_.size());
    line(out, "store_debits", counters.debits);
    line(out, "store_keys_expired", counters.expired);
    line(out, "store_keys_refused", counters.refused);
  }

 private:
  void arm_sweep() {
    loop_.start_timer(kSweepEvery, [this] {
      store_.sweep(kSweepBudget);
      arm_sweep();
    });
  }

  net::UvLoop& loop_;
  store::MemoryStore store_;
};

class RedisBacking final : public Backing, private redis::RedisStoreEvents {
 public:
  RedisBacking(net::UvLoop& loop, Random& random, observe::Log& log, redis::RedisStoreOptions options,
               std::size_t max_keys, std::shared_ptr<const rules::Policy> policy)
      : log_(log),
        server_(options.connection.endpoint.text()),
        connector_(net::make_connector(loop)),
        remote_(loop, *connector_, random, *this, std::move(options)),
        leased_(loop, random, remote_, {.max_keys = max_keys}, std::move(policy)) {}

  store::Store& store() override { return leased_; }
  void start() override { remote_.start(); }
  void set_policy(std::shared_ptr<const rules::Policy> policy) override {
    leased_.set_policy(std::move(policy));
  }
  void drain(std::function<void()> done) override { leased_.drain(std::move(done)); }
  void describe(std::string& out) const override;

 private:
  void on_serving(store::Generation /*generation*/, bool new_history) override {
    log_.write(Level::info, "store connected",
               {{.name = "server", .value = server_},
                {.name = "history", .value = new_history ? "new" : "as before"}});
  }
  void on_lost(std::string_view reason) override {
    log_.write(Level::warn, "store lost",
               {{.name = "server", .value = server_}, {.name = "reason", .value = std::string(reason)}});
  }
  void on_attempt_failed(std::string_view reason) override {
    log_.write(Level::warn, "store cannot be reached",
               {{.name = "server", .value = server_}, {.name = "reason", .value = std::string(reason)}});
  }
  void on_refused(redis::ErrorKind kind, std::string_view text) override {
    log_.write(Level::warn, "store refused a request",
               {{.name = "server", .value = server_},
                {.name = "kind", .value = std::string(redis::name_of(kind))},
                {.name = "answer", .value = std::string(text)}});
  }

  observe::Log& log_;
  std::string server_;
  std::unique_ptr<Connector> connector_;
  redis::RedisStore remote_;
  engine::LeasedStore leased_;
};

void RedisBacking::describe(std::string& out) const {
  const redis::RedisStoreCounters remote = remote_.counters();
  const lease::TableCounters& leases = leased_.counters();
  out += "\r\n# Store\r\nstore_kind:redis\r\n";
  line(out, "store_serving", remote_.serving() ? 1 : 0);
  line(out, "store_requests", remote.requests);
  line(out, "store_requests_refused", remote.refused);
  line(out, "store_replies_lost", remote.lost);
  line(out, "store_returns_stale", remote.stale);
  line(out, "store_commands", remote.connection.commands);
  line(out, "store_writes", remote.connection.writes);
  line(out, "store_timeouts", remote.connection.timeouts);
  line(out, "store_connects", remote.connection.connects);
  out += "\r\n# Leases\r\n";
  line(out, "lease_keys", leased_.size());
  line(out, "lease_hits", leases.hits);
  line(out, "lease_denials", leases.denials);
  line(out, "lease_waits", leases.waits);
  line(out, "lease_requests", leases.asks);
  line(out, "lease_tokens_granted", leases.granted);
  line(out, "lease_tokens_ahead", leases.extra);
  line(out, "lease_tokens_returned", leases.returned);
  line(out, "lease_tokens_lapsed", leases.lapsed);
  line(out, "lease_keys_forgotten", leases.evicted);
  line(out, "lease_keys_refused", leases.refused);
}

/// Secrets are mounted as files, which editors end with a newline.
Result<std::string> read_password(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string password(kMaxPasswordBytes + 1, '\0');
  file.read(password.data(), static_cast<std::streamsize>(password.size()));
  if (!file.is_open() || file.bad()) {
    return failure("store.redis.password_file: cannot read " + path +
                   "; it must exist and be readable by sluiced");
  }
  password.resize(static_cast<std::size_t>(file.gcount()));
  while (!password.empty() && (password.back() == '\n' || password.back() == '\r')) password.pop_back();
  if (password.empty())
    return failure("store.redis.password_file: " + path + " is empty; write the password into it");
  if (password.size() > kMaxPasswordBytes) {
    return failure("store.redis.password_file: " + path + " holds more than 4096 bytes; that is no password");
  }
  return password;
}

Result<redis::RedisStoreOptions> redis_options(const config::Settings::Store& settings) {
  redis::RedisStoreOptions options;
  options.prefix = settings.prefix;
  redis::ConnectionOptions& connection = options.connection;
  auto endpoint = Endpoint::parse(settings.redis.shards.front());
  if (!endpoint) return std::unexpected(endpoint.error());
  connection.endpoint = *std::move(endpoint);
  connection.username = settings.redis.username;
  connection.client_name = "sluiced-" + std::to_string(getpid());
  connection.connect_timeout = settings.redis.connect_timeout;
  connection.command_timeout = settings.redis.timeout;
  if (!settings.redis.password_file.empty()) {
    auto password = read_password(settings.redis.password_file);
    if (!password) return std::unexpected(password.error());
    connection.password = *std::move(password);
  }
  return options;
}

}  // namespace

Result<std::unique_ptr<Backing>> make_backing(net::UvLoop& loop, Random& random, observe::Log& log,
                                              const config::Settings::Store& settings,
                                              std::shared_ptr<const rules::Policy> policy) {
  const auto max_keys = static_cast<std::size_t>(settings.max_keys);
  if (settings.kind == "memory") return std::make_unique<MemoryBacking>(loop, random, max_keys);
  auto options = redis_options(settings);
  if (!options) return std::unexpected(options.error());
  return std::make_unique<RedisBacking>(loop, random, log, *std::move(options), max_keys, std::move(policy));
}

}  // namespace sluice::daemon
