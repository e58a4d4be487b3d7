#include "daemon/transport.h"

#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "base/connector.h"
#include "base/result.h"
#include "config/settings.h"
#include "net/connector.h"
#include "net/file_watch.h"
#include "net/tls_connector.h"
#include "net/uv_loop.h"
#include "observe/log.h"

namespace sluice::daemon {

Transport::Transport(net::UvLoop& loop, observe::Log& log, std::string section)
    : log_(log), section_(std::move(section)), plain_(net::make_connector(loop)) {}

Result<std::unique_ptr<Transport>> Transport::make(net::UvLoop& loop, observe::Log& log, std::string section,
                                                   const config::Settings::Store::Tls& settings) {
  std::unique_ptr<Transport> transport(new Transport(loop, log, std::move(section)));
  if (!settings.on) return transport;
  if (const auto done = transport->use_tls(loop, settings); !done)
    return failure(transport->section_ + ": " + done.error().message);
  return transport;
}

Result<void> Transport::use_tls(net::UvLoop& loop, const config::Settings::Store::Tls& settings) {
  // Watched before they are read, so that no change can fall between the two.
  for (const std::string* path : {&settings.ca, &settings.cert, &settings.key}) {
    if (path->empty()) continue;
    auto watch = net::watch_file(loop, *path, {}, [this] { changed(); });
    if (!watch) return std::unexpected(watch.error());
    watches_.push_back(*std::move(watch));
  }
  auto tls = net::TlsConnector::make(
      loop, *plain_,
      {.ca = settings.ca, .cert = settings.cert, .key = settings.key, .server_name = settings.server_name});
  if (!tls) return std::unexpected(tls.error());
  tls_ = *std::move(tls);
  return {};
}

Connector& Transport::connector() {
  if (tls_ != nullptr) return *tls_;
  return *plain_;
}

void Transport::changed() {
  if (const auto done = tls_->reload(); !done) {
    log_.write(observe::Level::warn, "TLS files are of no use, the old ones stay",
               {{.name = "section", .value = section_}, {.name = "reason", .value = done.error().message}});
    return;
  }
  log_.write(observe::Level::info, "TLS files read again", {{.name = "section", .value = section_}});
}

}  // namespace sluice::daemon
