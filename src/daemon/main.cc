// sluiced: the rate-limit sidecar.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "base/version.h"
#include "config/load.h"
#include "daemon/daemon.h"

int main(int argc, char** argv) {
  CLI::App app(
      "Sluice: a rate-limit sidecar. Answers checks on a Unix socket (RESP) by the rules of one TOML file.",
      "sluiced");
  sluice::daemon::DaemonOptions options{.config_path = "/etc/sluice/sluice.toml"};
  bool check_only = false;
  app.add_option("-c,--config", options.config_path, "configuration file")
      ->capture_default_str()
      ->envname("SLUICE_CONFIG");
  app.add_flag("--check", check_only, "check the configuration and exit");
  app.set_version_flag("--version", std::string(sluice::version()));
  app.footer(
      "Reloads the file when it changes and on SIGHUP; SIGTERM answers what is in flight and exits 0.\n"
      "Exit status: 0 stopped, 1 could not listen, 2 wrong usage or configuration.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? sluice::daemon::kExitOk : sluice::daemon::kExitBadConfig;
  }
  if (check_only) {
    const auto config = sluice::config::load_file(options.config_path);
    if (config) return sluice::daemon::kExitOk;
    for (const auto& problem : config.error())
      static_cast<void>(std::fprintf(stderr, "%s\n", problem.text().c_str()));
    return sluice::daemon::kExitBadConfig;
  }
  return sluice::daemon::run_daemon(options);
}
