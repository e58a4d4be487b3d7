// The webhook that the settings ask for, over what its address takes: in the open, or by TLS.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/connector.h"
#include "base/random.h"
#include "config/settings.h"
#include "daemon/webhook.h"
#include "net/tls_connector.h"
#include "net/uv_loop.h"
#include "observe/events.h"
#include "observe/log.h"

namespace sluice::daemon {

/// Nothing of it is there before a webhook is first set.
class WebhookLink {
 public:
  /// `failed`: see WebhookOptions. The references must outlive the link.
  WebhookLink(net::UvLoop& loop, Random& random, observe::Log& log,
              std::function<void(std::string_view reason)> failed);
  ~WebhookLink() = default;
  WebhookLink(const WebhookLink&) = delete;
  WebhookLink& operator=(const WebhookLink&) = delete;

  /// From now on. Returns who is to be told of events; null: nobody. It lives as long as the link.
  observe::EventSink* use(const config::Settings::Observe& settings);

  [[nodiscard]] WebhookCounters counters() const;

 private:
  /// Null: the system's certificates are of no use, which is logged.
  [[nodiscard]] Connector* connector_for(bool tls);

  net::UvLoop& loop_;
  Random& random_;
  observe::Log& log_;
  std::function<void(std::string_view)> failed_;
  std::unique_ptr<Connector> plain_;
  std::unique_ptr<net::TlsConnector> tls_;
  std::unique_ptr<Webhook> webhook_;
};

}  // namespace sluice::daemon
