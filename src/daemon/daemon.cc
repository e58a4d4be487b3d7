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
#include "engine/engine.h"
#include "net/file_watch.h"
#include "net/listen.h"
#include "net/system.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "server/http_identity.h"
#include "server/server.h"
#include "store/memory/memory_store.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;
using observe::Level;

/// SIGTERM must end the process within a second whatever the clients do.
constexpr Duration kDrainDeadline = 800ms;
/// Idle keys are dropped even when no new ones come.
constexpr Duration kSweepEvery = 1s;
constexpr std::size_t kSweepBudget = 10'000;

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
  Daemon(net::UvLoop& loop, std::string config_path, config::Config config)
      : loop_(loop),
        config_path_(std::move(config_path)),
        settings_(std::move(config.settings)),
        log_(loop_.clock(), observe::stderr_sink(),
             {.level = level_of(settings_.log.level), .format = format_of(settings_.log.format)}),
        store_(loop_.clock(), random_, {.max_keys = static_cast<std::size_t>(settings_.store.max_keys)}),
        engine_(loop_, store_, {.max_wait = settings_.server.max_wait}, std::move(config.policy)),
        server_(loop_, engine_,
                {.max_connections = static_cast<std::size_t>(settings_.server.max_connections),
                 .request_timeout = settings_.server.request_timeout,
                 .more_info = [this](std::string& out) { describe_store(out); },
                 .http = server::HttpRules::make(http_options(settings_.http)).value()}) {}

  int run() {
    if (const auto listening = listen(); !listening) {
      log_.write(Level::error, "cannot listen", {{.name = "reason", .value = listening.error().message}});
      return kExitFailed;
    }
    loop_.on_signal(SIGHUP, [this] { reload("signal"); });
    loop_.on_signal(SIGTERM, [this] { drain("SIGTERM"); });
    loop_.on_signal(SIGINT, [this] { drain("SIGINT"); });
    arm_sweep();
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

  void describe_store(std::string& out) const {
    const store::MemoryStoreCounters& counters = store_.counters();
    out += "\r\n# Store\r\nstore_kind:memory\r\nstore_keys:" + std::to_string(store_.size()) +
           "\r\nstore_debits:" + std::to_string(counters.debits) +
           "\r\nstore_keys_expired:" + std::to_string(counters.expired) +
           "\r\nstore_keys_refused:" + std::to_string(counters.refused) + "\r\n";
  }

  void arm_sweep() {
    loop_.start_timer(kSweepEvery, [this] {
      store_.sweep(kSweepBudget);
      arm_sweep();
    });
  }

  void drain(std::string_view cause) {
    if (draining_) return;
    draining_ = true;
    log_.write(Level::info, "draining",
               {{.name = "cause", .value = std::string(cause)},
                {.name = "connections", .value = std::to_string(server_.connections())}});
    listeners_.clear();
    loop_.start_timer(kDrainDeadline, [this] {
      log_.write(Level::warn, "connections did not close in time",
                 {{.name = "connections", .value = std::to_string(server_.connections())}});
      loop_.stop();
    });
    server_.drain([this] { loop_.stop(); });
  }

  // In the order of construction: what is below uses what is above.
  net::UvLoop& loop_;
  std::string config_path_;
  config::Settings settings_;
  net::SystemRandom random_;
  observe::Log log_;
  store::MemoryStore store_;
  engine::Engine engine_;
  server::Server server_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  bool draining_ = false;
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
  Daemon daemon(loop, options.config_path, *std::move(config));
  running = &daemon;
  const int status = daemon.run();
  running = nullptr;
  return status;
}

}  // namespace sluice::daemon
