#include "daemon/webhook_link.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/http_url.h"
#include "base/random.h"
#include "config/settings.h"
#include "daemon/webhook.h"
#include "net/connector.h"
#include "net/tls_connector.h"
#include "net/uv_loop.h"
#include "observe/events.h"
#include "observe/log.h"

namespace sluice::daemon {

WebhookLink::WebhookLink(net::UvLoop& loop, Random& random, observe::Log& log,
                         std::function<void(std::string_view reason)> failed)
    : loop_(loop), random_(random), log_(log), failed_(std::move(failed)) {}

observe::EventSink* WebhookLink::use(const config::Settings::Observe& settings) {
  if (settings.webhook.empty() && webhook_ == nullptr) return nullptr;
  WebhookOptions options{.timeout = settings.webhook_timeout,
                         .max_per_minute = static_cast<std::size_t>(settings.webhook_max_per_minute),
                         .failed = failed_};
  // The configuration was checked: only an empty one does not parse.
  bool tls = false;
  if (auto url = HttpUrl::parse(settings.webhook)) {
    tls = url->tls;
    options.url = *std::move(url);
  }
  Connector* connector = connector_for(tls);
  if (connector == nullptr) {
    options.url = {};
    connector = connector_for(false);
  }
  if (webhook_ == nullptr) {
    webhook_ = std::make_unique<Webhook>(loop_, *connector, random_, std::move(options));
  } else {
    webhook_->use(*connector, std::move(options));
  }
  return webhook_.get();
}

Connector* WebhookLink::connector_for(bool tls) {
  if (plain_ == nullptr) plain_ = net::make_connector(loop_);
  if (!tls) return plain_.get();
  if (tls_ == nullptr) {
    auto made = net::TlsConnector::make(loop_, *plain_, {});
    if (!made) {
      log_.write(observe::Level::error, "no webhook, for want of certificates",
                 {{.name = "reason", .value = made.error().message}});
      return nullptr;
    }
    tls_ = *std::move(made);
  }
  return tls_.get();
}

WebhookCounters WebhookLink::counters() const {
  return webhook_ == nullptr ? WebhookCounters{} : webhook_->counters();
}

}  // namespace sluice::daemon
