#include "daemon/instance.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/loop.h"
#include "base/time.h"
#include "config/load.h"
#include "config/settings.h"
#include "daemon/http_options.h"
#include "daemon/stores.h"
#include "observe/log.h"
#include "server/http_identity.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using observe::Level;

/// SIGTERM must end the process within a second, whatever the clients and the store do: so long for clients
/// to take their answers, and so long in all, with what was leased given back.
constexpr Duration kClientsDeadline = 500ms;
constexpr Duration kDrainDeadline = 900ms;

Level level_of(std::string_view name) {
  if (name == "debug") return Level::debug;
  if (name == "warn") return Level::warn;
  if (name == "error") return Level::error;
  return Level::info;
}

}  // namespace

observe::LogOptions log_options(const config::Settings::Log& settings) {
  return {.level = level_of(settings.level),
          .format = settings.format == "json" ? observe::Format::json : observe::Format::text};
}

Instance::Instance(Loop& loop, observe::Log& log, Backing& backing, config::Config config)
    : loop_(loop),
      log_(log),
      backing_(backing),
      settings_(std::move(config.settings)),
      engine_(loop_, backing_.store(), {.max_wait = settings_.server.max_wait}, std::move(config.policy)),
      server_(loop_, engine_,
              {.max_connections = static_cast<std::size_t>(settings_.server.max_connections),
               .request_timeout = settings_.server.request_timeout,
               .more_info = [this](std::string& out) { backing_.describe(out); },
               .http = server::HttpRules::make(http_options(settings_.http)).value()}) {}

void Instance::reload(const config::Config& wanted, std::string_view cause) {
  for (const std::string& name : config::needs_restart(settings_, wanted.settings)) {
    log_.write(Level::warn, "setting changes only with a restart", {{.name = "setting", .value = name}});
  }
  engine_.set_policy(wanted.policy);
  backing_.set_policy(wanted.policy);
  const config::Settings& settings = wanted.settings;
  engine_.set_max_wait(settings.server.max_wait);
  server_.set_request_timeout(settings.server.request_timeout);
  server_.set_max_connections(static_cast<std::size_t>(settings.server.max_connections));
  server_.set_http(server::HttpRules::make(http_options(settings.http)).value());
  const observe::LogOptions log = log_options(settings.log);
  log_.set_level(log.level);
  log_.set_format(log.format);
  log_.write(Level::info, "reloaded",
             {{.name = "cause", .value = std::string(cause)},
              {.name = "rules", .value = std::to_string(settings.policy.rules.size())}});
}

void Instance::drain(std::string_view cause, std::function<void()> done) {
  if (draining_) return;
  draining_ = true;
  drained_ = std::move(done);
  log_.write(Level::info, "draining",
             {{.name = "cause", .value = std::string(cause)},
              {.name = "connections", .value = std::to_string(server_.connections())}});
  loop_.start_timer(kClientsDeadline, [this] {
    if (returning_) return;
    log_.write(Level::warn, "connections did not close in time",
               {{.name = "connections", .value = std::to_string(server_.connections())}});
    return_leases();
  });
  loop_.start_timer(kDrainDeadline, [this] {
    if (!drained_) return;
    log_.write(Level::warn, "the store did not take back all leases in time; they lapse");
    finish();
  });
  server_.drain([this] { return_leases(); });
}

void Instance::return_leases() {
  if (returning_) return;
  returning_ = true;
  backing_.drain([this] { finish(); });
}

void Instance::finish() {
  if (const auto done = std::exchange(drained_, {})) done();
}

}  // namespace sluice::daemon
