// How servers are reached: in the open, or by TLS as the settings have it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/connector.h"
#include "base/result.h"
#include "config/settings.h"
#include "net/file_watch.h"
#include "net/tls_connector.h"
#include "net/uv_loop.h"
#include "observe/log.h"

namespace sluice::daemon {

/// Follows the files of its certificates: connections from a change on use the new ones. With a change that
/// leaves files of no use the old ones stay, which is logged.
class Transport {
 public:
  /// `section` names the settings in texts: "store.redis.tls". The references must outlive the transport.
  [[nodiscard]] static Result<std::unique_ptr<Transport>> make(net::UvLoop& loop, observe::Log& log,
                                                               std::string section,
                                                               const config::Settings::Store::Tls& settings);
  ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  [[nodiscard]] Connector& connector();

 private:
  Transport(net::UvLoop& loop, observe::Log& log, std::string section);
  Result<void> use_tls(net::UvLoop& loop, const config::Settings::Store::Tls& settings);
  void changed();

  observe::Log& log_;
  std::string section_;
  std::unique_ptr<Connector> plain_;
  std::unique_ptr<net::TlsConnector> tls_;  ///< null: none
  std::vector<std::unique_ptr<net::FileWatch>> watches_;
};

}  // namespace sluice::daemon
