// Aim: a connection with TLS is only made to a server that is who it should be, and what stands in its way
// is said in words that help. Method: real servers with certificates made here; what is asked for is a name
// that no resolver knows, dialled by a connector that goes to the server whatever the name.
#include "net/tls_connector.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/result.h"
#include "net/listen.h"
#include "net/tls_options.h"
#include "unit/net/support.h"
#include "unit/net/tls_certificates.h"
#include "unit/net/tls_fixture.h"
#include "unit/net/tls_server.h"

namespace sluice::net {
namespace {

struct TlsConnectorTest : TlsTest {
  /// What the client is told.
  std::string failure_of(const TlsServerOptions& options, const std::string& host = "redis") {
    TlsServer server(options, echo);
    connect(server.port(), host);
    EXPECT_EQ(outcome.stream, nullptr);
    attempt.reset();
    return std::exchange(outcome.reason, {});
  }

  /// Shakes hands with, and tells the server goodbye.
  void expect_works(const TlsServerOptions& options, const std::string& host, const std::string& asked_for) {
    TlsServer server(options, echo);
    connect(server.port(), host);
    ASSERT_NE(outcome.stream, nullptr) << outcome.reason;
    Recorder recorder;
    outcome.stream->start(recorder);
    outcome.stream->finish();
    ASSERT_TRUE(run_until(loop, [&] { return !recorder.closed.empty(); }));
    server.join();
    EXPECT_TRUE(server.shaken());
    EXPECT_EQ(server.server_name(), asked_for);
    outcome.stream.reset();
  }
};

TEST_F(TlsConnectorTest, VerifiesTheNameThatIsDialled) {
  make_connector_with({.ca = authority.file()});
  expect_works({.certificate = server_certificate()}, "redis", "redis");
  expect_works({.certificate = server_certificate()}, "redis.", "redis");
  expect_works({.certificate = server_certificate(), .max_version = TLS1_2_VERSION}, "redis", "redis");
  EXPECT_EQ(failure_of({.certificate = server_certificate()}, "other"),
            R"(certificate of other:6379 is not valid for "other": hostname mismatch)");
}

TEST_F(TlsConnectorTest, VerifiesAddressesAsAddresses) {
  make_connector_with({.ca = authority.file()});
  const auto certificate = authority.issue("server", {.names = {"IP:127.0.0.1", "IP:::1", "DNS:10.0.0.1"}});
  expect_works({.certificate = certificate}, "127.0.0.1", "");
  expect_works({.certificate = certificate}, "::1", "");
  expect_works({.certificate = certificate}, "0:0::1", "");
  EXPECT_EQ(failure_of({.certificate = certificate}, "10.0.0.1"),
            R"(certificate of 10.0.0.1:6379 is not valid for "10.0.0.1": IP address mismatch)");
}

TEST_F(TlsConnectorTest, AConfiguredNameCountsInsteadOfTheOneDialled) {
  make_connector_with({.ca = authority.file(), .server_name = "redis"});
  expect_works({.certificate = server_certificate()}, "10.0.0.7", "redis");
  make_connector_with({.ca = authority.file(), .server_name = "other"});
  EXPECT_EQ(failure_of({.certificate = server_certificate()}),
            R"(certificate of redis:6379 is not valid for "other": hostname mismatch)");
}

TEST_F(TlsConnectorTest, NamesTheAuthorityThatIsMissing) {
  const Authority other(directory.path(), "other");
  make_connector_with({.ca = other.file()});
  EXPECT_EQ(failure_of({.certificate = server_certificate()}),
            "certificate of redis:6379 is signed by an authority that " + other.file() + " does not contain");
  make_connector_with({});
  EXPECT_EQ(failure_of({.certificate = server_certificate()}),
            "certificate of redis:6379 is signed by an authority that the system's list does not contain");
}

TEST_F(TlsConnectorTest, IsNotFooledByAnAuthorityOfTheSameName) {
  const Authority other(directory.path(), "ca");  // over the file of the first
  make_connector_with({.ca = other.file()});
  EXPECT_EQ(failure_of({.certificate = server_certificate()}),
            "certificate of redis:6379 is signed by an authority that " + other.file() + " does not contain");
}

TEST_F(TlsConnectorTest, KnowsWhenCertificatesAreValid) {
  make_connector_with({.ca = authority.file()});
  const auto past = authority.issue("past", {.names = {"DNS:redis"}, .validity = Validity::past});
  EXPECT_EQ(failure_of({.certificate = past}), "certificate of redis:6379, or of its authority, has expired");
  const auto future = authority.issue("future", {.names = {"DNS:redis"}, .validity = Validity::future});
  EXPECT_EQ(failure_of({.certificate = future}),
            "certificate of redis:6379, or of its authority, is not valid yet; is the clock right?");
}

TEST_F(TlsConnectorTest, RefusesOldVersions) {
  make_connector_with({.ca = authority.file()});
  // The server does not get as far as choosing one: OpenSSL's level of security forbids it there, too.
  const std::string reason = failure_of({.certificate = server_certificate(), .max_version = TLS1_1_VERSION});
  EXPECT_TRUE(reason.starts_with("redis:6379 speaks no version of TLS that is new enough")) << reason;
}

TEST_F(TlsConnectorTest, ShowsItsOwnCertificate) {
  const auto ours = authority.issue("client", {});
  TlsServerOptions demanding{.certificate = server_certificate(), .client_authority = authority.file()};
  make_connector_with({.ca = authority.file(), .cert = ours.cert, .key = ours.key});
  expect_works(demanding, "redis", "redis");
  demanding.max_version = TLS1_2_VERSION;
  expect_works(demanding, "redis", "redis");
}

TEST_F(TlsConnectorTest, IsToldThatItsCertificateIsMissing) {
  TlsServerOptions demanding{.certificate = server_certificate(), .client_authority = authority.file()};
  make_connector_with({.ca = authority.file()});
  // In 1.3 the client is done before the server has looked.
  TlsServer server(demanding, echo);
  const auto stream = connected(server);
  ASSERT_NE(stream, nullptr);
  Recorder recorder;
  stream->start(recorder);
  ASSERT_TRUE(run_until(loop, [&] { return !recorder.closed.empty(); }));
  EXPECT_TRUE(recorder.closed[0].starts_with("redis:6379 wants a client certificate")) << recorder.closed[0];

  demanding.max_version = TLS1_2_VERSION;
  const std::string reason = failure_of(demanding);
  EXPECT_TRUE(reason.starts_with("redis:6379 refuses the handshake; it may want a client certificate"))
      << reason;
}

TEST_F(TlsConnectorTest, IsToldThatItsCertificateIsOfAnUnknownAuthority) {
  const Authority other(directory.path(), "other");
  const auto ours = other.issue("client", {});
  make_connector_with({.ca = authority.file(), .cert = ours.cert, .key = ours.key});
  TlsServer server({.certificate = server_certificate(), .client_authority = authority.file()}, echo);
  const auto stream = connected(server);
  ASSERT_NE(stream, nullptr);
  Recorder recorder;
  stream->start(recorder);
  ASSERT_TRUE(run_until(loop, [&] { return !recorder.closed.empty(); }));
  EXPECT_TRUE(recorder.closed[0].starts_with("redis:6379 refuses our client certificate"))
      << recorder.closed[0];
}

TEST_F(TlsConnectorTest, NamesTheFileThatIsWrong) {
  const auto ours = authority.issue("ours", {});
  const auto others = authority.issue("others", {});
  const std::string garbage = directory / "garbage.pem";
  write_file(garbage, "not PEM\n");
  const auto error_of = [&](const TlsOptions& options) {
    const auto made = TlsConnector::make(loop, redirect, options);
    return made ? "" : made.error().message;
  };
  const std::string absent = directory / "absent";
  EXPECT_EQ(error_of({.ca = absent}),
            absent + " cannot be read as certificates of authorities (PEM): " + "No such file or directory");
  EXPECT_TRUE(error_of({.ca = garbage}).starts_with(garbage + " cannot be read as certificates"));
  EXPECT_TRUE(
      error_of({.cert = garbage, .key = ours.key}).starts_with(garbage + " cannot be read as a cert"));
  EXPECT_EQ(error_of({.cert = ours.cert, .key = others.key}),
            others.key + " cannot be used as the private key of " + ours.cert + ": key values mismatch");
  EXPECT_EQ(error_of({.cert = ours.cert}), "a client certificate takes both files, cert and key");
}

TEST_F(TlsConnectorTest, ReadsItsFilesAgainAndKeepsTheOldIfTheNewAreBad) {
  make_connector_with({.ca = authority.file()});
  EXPECT_EQ(connector->files(), std::vector{authority.file()});
  write_file(authority.file(), "half a certifi");
  EXPECT_FALSE(connector->reload());
  expect_works({.certificate = server_certificate()}, "redis", "redis");

  const Authority next(directory.path(), "ca");  // in the same file
  ASSERT_TRUE(connector->reload());
  EXPECT_NE(failure_of({.certificate = server_certificate()}), "");
  expect_works({.certificate = next.issue("next", {.names = {"DNS:redis"}})}, "redis", "redis");
}

TEST_F(TlsConnectorTest, SaysWhyTheConnectionBelowFailed) {
  make_connector_with({.ca = authority.file()});
  Collector accepted;
  auto listener = listen_tcp(loop, "127.0.0.1:0", 16, accepted);
  const auto port = Endpoint::parse((*listener)->address())->port;
  listener->reset();
  connect(port);
  EXPECT_TRUE(outcome.reason.ends_with("Connection refused") || outcome.reason.contains("refused"))
      << outcome.reason;
}

/// Servers that do not speak TLS as they should, from our own streams.
struct TlsStrangerTest : TlsTest {
  Collector accepted;
  std::unique_ptr<Listener> listener = listen_tcp(loop, "127.0.0.1:0", 16, accepted).value();
  Recorder heard;

  [[nodiscard]] std::uint16_t port() const { return Endpoint::parse(listener->address())->port; }
  void SetUp() override { make_connector_with({.ca = authority.file()}); }
};

TEST_F(TlsStrangerTest, SpeaksPlainText) {
  accepted.hook = [this] {
    accepted.streams.back()->start(heard);
    accepted.streams.back()->write("-ERR Protocol error: unbalanced quotes in request\r\n");
  };
  connect(port());
  EXPECT_EQ(outcome.reason, "redis:6379 does not speak TLS there (wrong version number)");
}

TEST_F(TlsStrangerTest, GoesInTheMiddleOfTheHandshake) {
  accepted.hook = [this] {
    accepted.streams.back()->start(heard);
    heard.bytes_hook = [this] { accepted.streams.back()->finish(); };
  };
  connect(port());
  EXPECT_EQ(outcome.reason, "redis:6379 closed the connection during the TLS handshake");
}

TEST_F(TlsStrangerTest, NeverAnswersAndIsGivenUpByTheOwner) {
  accepted.hook = [this] { accepted.streams.back()->start(heard); };
  redirect.to({.host = "127.0.0.1", .port = port()});
  attempt = connector->connect({.host = "redis", .port = 6379}, outcome);
  ASSERT_TRUE(run_until(loop, [this] { return !heard.bytes.empty(); }));  // the client's hello
  attempt.reset();
  ASSERT_TRUE(run_until(loop, [this] { return heard.ends > 0; }));
  EXPECT_EQ(outcome.events, 0);
}

TEST_F(TlsStrangerTest, TheAttemptMayBeDestroyedInItsEvents) {
  outcome.hook = [this] { attempt.reset(); };
  accepted.hook = [this] {
    accepted.streams.back()->start(heard);
    accepted.streams.back()->write("HTTP/1.1 400 Bad Request\r\n\r\n");
  };
  connect(port());
  EXPECT_NE(outcome.reason, "");

  outcome.hook = [this] {
    attempt.reset();
    outcome.stream.reset();
  };
  TlsServer server({.certificate = server_certificate()}, echo);
  connect(server.port());
}

}  // namespace
}  // namespace sluice::net
