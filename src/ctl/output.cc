#include "ctl/output.h"

#include <unistd.h>

#include <cstdio>
#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/load.h"
#include "config/settings.h"
#include "ctl/commands.h"

namespace sluice::ctl {
namespace {

/// The settings that the daemon would have; `option` names what to pass where the file does not say.
Result<config::Settings::Server> server_settings(const Options& options, std::string_view option) {
  const bool readable = access(options.config.c_str(), R_OK) == 0;
  const auto config = readable ? config::load_file(options.config) : config::load_text("", "defaults");
  if (!config) {
    return failure(options.config + " has errors (see sluicectl config check), so " + std::string(option) +
                   " is needed");
  }
  return config->settings.server;
}

}  // namespace

int fail(std::string_view message) {
  static_cast<void>(
      std::fprintf(stderr, "sluicectl: %.*s\n", static_cast<int>(message.size()), message.data()));
  return kExitError;
}

void print(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
}

Result<std::string> socket_path(const Options& options) {
  if (!options.socket.empty()) return options.socket;
  const auto server = server_settings(options, "--socket");
  if (!server) return std::unexpected(server.error());
  return server->socket;
}

Result<std::string> admin_address(const Options& options) {
  if (!options.admin.empty()) return options.admin;
  const auto server = server_settings(options, "--admin");
  if (!server) return std::unexpected(server.error());
  return server->admin;
}

}  // namespace sluice::ctl
