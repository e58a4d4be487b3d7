#include "daemon/daemon.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/stream.h"
#include "base/time.h"
#include "base/version.h"
#include "config/load.h"
#include "config/settings.h"
#include "daemon/http_options.h"
#include "daemon/stores.h"
#include "engine/engine.h"
#include "net/file_watch.h"
#include "net/listen.h"
#include "net/system.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "server/http_identity.h"
#include "server/server.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using observe::Level;

/// SIGTERM must end the process within a second, whatever the clients and the store do: so long for clients
/// to take their answers, and so long in all, with what was leased given back.
constexpr Duration kClientsDeadline = 500ms;
constexpr Duration kDrainDeadline = 900ms;

observe::Level level_of(std::string_view name) {
  if (name == "debug") return Level::debug;
  if (name == "warn") return Level::warn;
  if (name == "error") return Level::error;
  return Level::info;
}

observe::Format format_of(std::string_view name) {
  return name == "json" ? observe::Format::json : observe::Format::text;
}

/// Each connection is a file descriptor; the soft limit is often 1024 where the hard one is far higher.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Daemon {
 public:
  Daemon(net::UvLoop& loop, observe::Log& log, Backing& backing, std::string config_path,
         config::Config config)
      : loop_(loop),
        log_(log),
        backing_(backing),
        config_path_(std::move(config_path)),
        settings_(std::move(config.settings)),
        engine_(loop_, backing_.store(), {.max_wait = settings_.server.max_wait}, std::move(config.policy)),
        server_(loop_, engine_,
                {.max_connections = static_cast<std::size_t>(settings_.server.max_connections),
                 .request_timeout = settings_.server.request_timeout,
                 .more_info = [this](std::string& out) { backing_.describe(out); },
                 .http = server::HttpRules::make(http_options(settings_.http)).value()}) {}

  int run() {
    if (const auto listening = listen(); !listening) {
      log_.write(Level::error, "cannot listen", {{.name = "reason", .value = listening.error().message}});
      return kExitFailed;
    }
    loop_.on_signal(SIGHUP, [this] { reload("signal"); });
    loop_.on_signal(SIGTERM, [this] { drain("SIGTERM"); });
    loop_.on_signal(SIGINT, [this] { drain("SIGINT"); });
    backing_.start();
    loop_.run();
    log_.write(Level::info, "stopped");
    return kExitOk;
  }

  /// All or nothing: with any fault in the file, what runs goes on unchanged.
  void reload(std::string_view cause) {
    auto loaded = config::load_file(config_path_);
    if (!loaded) {
      for (const config::Problem& problem : loaded.error()) {
        log_.write(Level::error, "reload refused, the old configuration stays",
                   {{.name = "problem", .value = problem.text()}});
      }
      return;
    }
    for (const std::string& name : config::needs_restart(settings_, loaded->settings)) {
      log_.write(Level::warn, "setting changes only with a restart", {{.name = "setting", .value = name}});
    }
    const config::Settings& wanted = loaded->settings;
    engine_.set_policy(loaded->policy);
    backing_.set_policy(loaded->policy);
    engine_.set_max_wait(wanted.server.max_wait);
    server_.set_request_timeout(wanted.server.request_timeout);
    server_.set_max_connections(static_cast<std::size_t>(wanted.server.max_connections));
    server_.set_http(server::HttpRules::make(http_options(wanted.http)).value());
    log_.set_level(level_of(wanted.log.level));
    log_.set_format(format_of(wanted.log.format));
    log_.write(Level::info, "reloaded",
               {{.name = "cause", .value = std::string(cause)},
                {.name = "rules", .value = std::to_string(wanted.policy.rules.size())}});
  }

 private:
  Result<void> listen() {
    const config::Settings::Server& wanted = settings_.server;
    net::UnixListenOptions options;
    options.path = wanted.socket;
    options.mode = static_cast<mode_t>(wanted.socket_mode);
    if (wanted.socket_gid) options.group = static_cast<gid_t>(*wanted.socket_gid);
    auto socket = net::listen_unix(loop_, options, server_);
    if (!socket) return std::unexpected(socket.error());
    listeners_.push_back(*std::move(socket));
    if (!wanted.tcp.empty()) {
      auto tcp = net::listen_tcp(loop_, wanted.tcp, options.backlog, server_);
      if (!tcp) return std::unexpected(tcp.error());
      listeners_.push_back(*std::move(tcp));
    }
    for (const auto& listener : listeners_) {
      log_.write(Level::info, "listening",
                 {{.name = "address", .value = listener->address()},
                  {.name = "version", .value = std::string(version())},
                  {.name = "pid", .value = std::to_string(getpid())},
                  {.name = "rules", .value = std::to_string(settings_.policy.rules.size())}});
    }
    return {};
  }

  void drain(std::string_view cause) {
    if (draining_) return;
    draining_ = true;
    log_.write(Level::info, "draining",
               {{.name = "cause", .value = std::string(cause)},
                {.name = "connections", .value = std::to_string(server_.connections())}});
    listeners_.clear();
    loop_.start_timer(kClientsDeadline, [this] {
      if (returning_) return;
      log_.write(Level::warn, "connections did not close in time",
                 {{.name = "connections", .value = std::to_string(server_.connections())}});
      return_leases();
    });
    loop_.start_timer(kDrainDeadline, [this] {
      log_.write(Level::warn, "the store did not take back all leases in time; they lapse");
      loop_.stop();
    });
    server_.drain([this] { return_leases(); });
  }

  void return_leases() {
    if (returning_) return;
    returning_ = true;
    backing_.drain([this] { loop_.stop(); });
  }

  // In the order of construction: what is below uses what is above.
  net::UvLoop& loop_;
  observe::Log& log_;
  Backing& backing_;
  std::string config_path_;
  config::Settings settings_;
  engine::Engine engine_;
  server::Server server_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  bool draining_ = false;
  bool returning_ = false;
};

}  // namespace

int run_daemon(const DaemonOptions& options) {
  net::UvLoop loop;
  Daemon* running = nullptr;
  // Watched before it is read, so that no change can fall between the two.
  const auto watch = net::watch_file(loop, options.config_path, {}, [&running] {
    if (running != nullptr) running->reload("file");
  });
  auto config = config::load_file(options.config_path);
  if (!config) {
    for (const config::Problem& problem : config.error()) {
      static_cast<void>(std::fprintf(stderr, "%s\n", problem.text().c_str()));
    }
    return kExitBadConfig;
  }
  raise_descriptor_limit();
  net::SystemRandom random;
  const config::Settings::Log& wanted = config->settings.log;
  observe::Log log(loop.clock(), observe::stderr_sink(),
                   {.level = level_of(wanted.level), .format = format_of(wanted.format)});
  auto backing = make_backing(loop, random, log, config->settings.store, config->policy);
  if (!backing) {
    static_cast<void>(
        std::fprintf(stderr, "%s: %s\n", options.config_path.c_str(), backing.error().message.c_str()));
    return kExitBadConfig;
  }
  Daemon daemon(loop, log, **backing, options.config_path, *std::move(config));
  running = &daemon;
  const int status = daemon.run();
  running = nullptr;
  return status;
}

}  // namespace sluice::daemon
