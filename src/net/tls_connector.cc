#include "net/tls_connector.h"

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/stream.h"
#include "net/tls_context.h"
#include "net/tls_failure.h"
#include "net/tls_options.h"
#include "net/tls_session.h"
#include "net/tls_stream.h"

namespace sluice::net {
namespace {

/// Connects, shakes hands, hands out.
class TlsAttempt final : public ConnectAttempt, private ConnectEvents {
 public:
  /// With the context of now, also if it is replaced before the connection is there.
  TlsAttempt(Loop& loop, std::shared_ptr<const TlsContext> context, TlsPeer peer, ConnectEvents& events)
      : loop_(loop), context_(std::move(context)), peer_(std::move(peer)), events_(events) {}

  void begin(Connector& inner, const Endpoint& endpoint) { inner_ = inner.connect(endpoint, *this); }

 private:
  void on_connected(std::unique_ptr<ByteStream> stream) override {
    stream_ = std::make_unique<TlsStream>(loop_, std::move(stream), TlsSession(*context_, peer_));
    stream_->handshake([this](const Result<void>& result) { shaken(result); });
  }

  void on_connect_failed(std::string_view reason) override { events_.on_connect_failed(reason); }

  // Both ends may destroy this.
  void shaken(const Result<void>& result) {
    if (result) return events_.on_connected(std::move(stream_));
    const std::string reason = result.error().message;
    events_.on_connect_failed(reason);
  }

  Loop& loop_;
  std::shared_ptr<const TlsContext> context_;
  TlsPeer peer_;
  ConnectEvents& events_;
  std::unique_ptr<ConnectAttempt> inner_;
  std::unique_ptr<TlsStream> stream_;
};

}  // namespace

Result<std::unique_ptr<TlsConnector>> TlsConnector::make(Loop& loop, Connector& inner, TlsOptions options) {
  auto context = TlsContext::make(options);
  if (!context) return std::unexpected(context.error());
  return std::unique_ptr<TlsConnector>(
      new TlsConnector(loop, inner, std::move(options), *std::move(context)));
}

TlsConnector::TlsConnector(Loop& loop, Connector& inner, TlsOptions options,
                           std::shared_ptr<const TlsContext> context)
    : loop_(loop), inner_(inner), options_(std::move(options)), context_(std::move(context)) {}

std::unique_ptr<ConnectAttempt> TlsConnector::connect(const Endpoint& endpoint, ConnectEvents& events) {
  TlsPeer peer{.endpoint = endpoint.text(),
               .name = options_.server_name.empty() ? endpoint.host : options_.server_name,
               .authorities = context_->authorities()};
  auto attempt = std::make_unique<TlsAttempt>(loop_, context_, std::move(peer), events);
  attempt->begin(inner_, endpoint);
  return attempt;
}

Result<void> TlsConnector::reload() {
  auto context = TlsContext::make(options_);
  if (!context) return std::unexpected(context.error());
  context_ = *std::move(context);
  return {};
}

std::vector<std::string> TlsConnector::files() const {
  std::vector<std::string> files;
  for (const std::string* file : {&options_.ca, &options_.cert, &options_.key}) {
    if (!file->empty()) files.push_back(*file);
  }
  return files;
}

}  // namespace sluice::net
