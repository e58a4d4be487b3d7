#include "daemon/daemon.h"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "base/stream.h"
#include "base/version.h"
#include "config/load.h"
#include "config/settings.h"
#include "daemon/instance.h"
#include "daemon/monitor.h"
#include "daemon/stores.h"
#include "daemon/webhook_link.h"
#include "net/file_watch.h"
#include "net/listen.h"
#include "net/system.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "server/admin/admin_server.h"

namespace sluice::daemon {
namespace {

using observe::Level;

/// Each connection is a file descriptor; the soft limit is often 1024 where the hard one is far higher.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

class Daemon {
 public:
  Daemon(net::UvLoop& loop, Random& random, observe::Log& log, Backing& backing, std::string config_path,
         const config::Config& config)
      : loop_(loop),
        log_(log),
        config_path_(std::move(config_path)),
        observe_(config.settings.observe),
        instance_(loop, log, backing, config),
        monitor_({.loop = loop, .log = log, .random = random, .instance = instance_, .backing = backing},
                 config, config_path_),
        webhook_(loop, random, log, [this](std::string_view reason) { monitor_.webhook_failed(reason); }) {
    monitor_.set_webhook([this] { return webhook_.counters(); });
    monitor_.events().set_sink(webhook_.use(observe_));
  }
  ~Daemon() { monitor_.events().set_sink(nullptr); }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  int run() {
    if (const auto listening = listen(); !listening) {
      log_.write(Level::error, "cannot listen", {{.name = "reason", .value = listening.error().message}});
      return kExitFailed;
    }
    loop_.on_signal(SIGHUP, [this] { reload("signal"); });
    loop_.on_signal(SIGTERM, [this] { drain("SIGTERM"); });
    loop_.on_signal(SIGINT, [this] { drain("SIGINT"); });
    instance_.start();
    loop_.run();
    log_.write(Level::info, "stopped");
    return kExitOk;
  }

  /// All or nothing: with any fault in the file, what runs goes on unchanged.
  void reload(std::string_view cause) {
    auto loaded = config::load_file(config_path_);
    if (loaded) {
      instance_.reload(*loaded, cause);
      monitor_.reloaded(*loaded);
      if (loaded->settings.observe != observe_) {
        observe_ = loaded->settings.observe;
        monitor_.events().set_sink(webhook_.use(observe_));
      }
      return;
    }
    monitor_.reload_refused(loaded.error().front().text());
    for (const config::Problem& problem : loaded.error()) {
      log_.write(Level::error, "reload refused, the old configuration stays",
                 {{.name = "problem", .value = problem.text()}});
    }
  }

 private:
  Result<void> listen() {
    const config::Settings::Server& wanted = instance_.settings().server;
    net::UnixListenOptions options;
    options.path = wanted.socket;
    options.mode = static_cast<mode_t>(wanted.socket_mode);
    if (wanted.socket_gid) options.group = static_cast<gid_t>(*wanted.socket_gid);
    auto socket = net::listen_unix(loop_, options, instance_.server());
    if (!socket) return std::unexpected(socket.error());
    listeners_.push_back(*std::move(socket));
    if (!wanted.tcp.empty()) {
      auto tcp = net::listen_tcp(loop_, wanted.tcp, options.backlog, instance_.server());
      if (!tcp) return std::unexpected(tcp.error());
      listeners_.push_back(*std::move(tcp));
    }
    if (const auto done = listen_for_admin(wanted.admin, options.backlog); !done)
      return std::unexpected(done.error());
    for (const auto& listener : listeners_) {
      log_.write(Level::info, "listening",
                 {{.name = "address", .value = listener->address()},
                  {.name = "version", .value = std::string(version())},
                  {.name = "pid", .value = std::to_string(getpid())},
                  {.name = "rules", .value = std::to_string(instance_.settings().policy.rules.size())}});
    }
    return {};
  }

  Result<void> listen_for_admin(const std::string& address, int backlog) {
    if (address.empty()) return {};
    admin_ = std::make_unique<server::AdminServer>(loop_, monitor_, server::AdminOptions{});
    auto listener = net::listen_tcp(loop_, address, backlog, *admin_);
    if (!listener) return std::unexpected(listener.error());
    admin_listener_ = *std::move(listener);
    log_.write(Level::info, "metrics and the page",
               {{.name = "address", .value = "http://" + admin_listener_->address() + "/"}});
    return {};
  }

  /// Who probes is answered until the end: that it is draining.
  void drain(std::string_view cause) {
    listeners_.clear();
    monitor_.draining();
    instance_.drain(cause, [this] {
      admin_listener_.reset();
      if (admin_ != nullptr) admin_->drain();
      loop_.stop();
    });
  }

  // In the order of construction: what is below uses what is above.
  net::UvLoop& loop_;
  observe::Log& log_;
  std::string config_path_;
  config::Settings::Observe observe_;  ///< in force
  Instance instance_;
  Monitor monitor_;
  WebhookLink webhook_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unique_ptr<server::AdminServer> admin_;  ///< null: none is wanted
  std::unique_ptr<Listener> admin_listener_;
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
  observe::Log log(loop.clock(), observe::stderr_sink(), log_options(config->settings.log));
  auto backing = make_backing(loop, random, log, config->settings.store, config->policy);
  if (!backing) {
    static_cast<void>(
        std::fprintf(stderr, "%s: %s\n", options.config_path.c_str(), backing.error().message.c_str()));
    return kExitBadConfig;
  }
  Daemon daemon(loop, random, log, **backing, options.config_path, *config);
  *config = {};  // the daemon has its own
  running = &daemon;
  const int status = daemon.run();
  running = nullptr;
  return status;
}

}  // namespace sluice::daemon
