// An authority, a connector that trusts it, and the one connection that a test makes with them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/connector.h"
#include "base/result.h"
#include "base/stream.h"
#include "net/connector.h"
#include "net/tls_connector.h"
#include "net/tls_options.h"
#include "net/uv_loop.h"
#include "unit/net/dial_outcome.h"
#include "unit/net/support.h"
#include "unit/net/tls_certificates.h"
#include "unit/net/tls_server.h"

namespace sluice::net {

/// Dials the same address whatever it is asked for, so that tests need no names that resolve.
class Redirect final : public Connector {
 public:
  explicit Redirect(Connector& inner) : inner_(inner) {}
  void to(const Endpoint& endpoint) { to_ = endpoint; }
  [[nodiscard]] std::unique_ptr<ConnectAttempt> connect(const Endpoint& /*endpoint*/,
                                                        ConnectEvents& events) override {
    return inner_.connect(to_, events);
  }

 private:
  Connector& inner_;
  Endpoint to_;
};

struct TlsTest : testing::Test {
  TempDir directory;
  Authority authority{directory.path(), "ca"};
  UvLoop loop;
  std::unique_ptr<Connector> plain = make_connector(loop);
  Redirect redirect{*plain};
  std::unique_ptr<TlsConnector> connector;
  std::unique_ptr<ConnectAttempt> attempt;
  DialOutcome outcome;

  [[nodiscard]] CertificateFiles server_certificate() const {
    return authority.issue("server", {.names = {"DNS:redis"}});
  }
  void make_connector_with(TlsOptions options) {
    auto made = TlsConnector::make(loop, redirect, std::move(options));
    ASSERT_TRUE(made.has_value()) << made.error().message;
    connector = *std::move(made);
  }
  /// Until there is an outcome.
  void connect(std::uint16_t port, const std::string& host = "redis") {
    redirect.to({.host = "127.0.0.1", .port = port});
    outcome.events = 0;
    attempt = connector->connect({.host = host, .port = 6379}, outcome);
    EXPECT_EQ(outcome.events, 0) << "called from inside connect()";
    ASSERT_TRUE(run_until(loop, [this] { return outcome.events > 0; }));
    EXPECT_EQ(outcome.events, 1);
  }
  /// Connects with a connector that trusts the authority; the stream is not started.
  [[nodiscard]] std::unique_ptr<ByteStream> connected(const TlsServer& server) {
    if (!connector) make_connector_with({.ca = authority.file()});
    connect(server.port());
    EXPECT_NE(outcome.stream, nullptr) << outcome.reason;
    attempt.reset();
    return std::move(outcome.stream);
  }
};

}  // namespace sluice::net
