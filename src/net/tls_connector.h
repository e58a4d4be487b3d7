// Outgoing connections with TLS over those of another connector.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/connector.h"
#include "base/loop.h"
#include "base/result.h"
#include "net/tls_options.h"

namespace sluice::net {

class TlsContext;

/// An attempt ends with the TLS handshake: what is handed out is a stream to a server whose certificate is
/// trusted and valid for its name. Failures are sentences that say what to mend: 'certificate of redis:6379
/// is not valid for "redis": hostname mismatch'. One thing comes later: TLS 1.3 lets a server refuse our
/// certificate after the handshake, which then is the reason of the stream's on_closed.
class TlsConnector final : public Connector {
 public:
  /// Reads the files of `options`; the error names the one that is wrong. `loop` and `inner` must outlive the
  /// connector and all that comes from it.
  [[nodiscard]] static Result<std::unique_ptr<TlsConnector>> make(Loop& loop, Connector& inner,
                                                                  TlsOptions options);

  [[nodiscard]] std::unique_ptr<ConnectAttempt> connect(const Endpoint& endpoint,
                                                        ConnectEvents& events) override;

  /// Reads the files again, for the attempts from now on. With an error all stays as it was.
  [[nodiscard]] Result<void> reload();

  /// Which a change of should lead to reload().
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  TlsConnector(Loop& loop, Connector& inner, TlsOptions options, std::shared_ptr<const TlsContext> context);

  Loop& loop_;
  Connector& inner_;
  TlsOptions options_;
  std::shared_ptr<const TlsContext> context_;
};

}  // namespace sluice::net
