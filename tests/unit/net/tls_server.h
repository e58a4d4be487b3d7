// A TLS server for the tests: OpenSSL on blocking sockets in a thread of its own, so that nothing of ours
// talks to itself.
#pragma once

#include <openssl/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "net/posix.h"
#include "unit/net/tls_certificates.h"

namespace sluice::net {

struct TlsServerOptions {
  CertificateFiles certificate;
  std::string client_authority{};  ///< file; empty: clients need no certificate
  int max_version = 0;             ///< TLS1_2_VERSION, …; 0: all
};

/// Takes one connection, shakes hands, and talks. What `talk` wrote down may be read after join().
class TlsServer {
 public:
  TlsServer(const TlsServerOptions& options, std::function<void(SSL*)> talk);
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Waits until the connection has been served.
  void join();
  /// Of the handshake. After join().
  [[nodiscard]] bool shaken() const { return shaken_; }
  /// That the client asked for (SNI); empty: none. After join().
  [[nodiscard]] const std::string& server_name() const { return server_name_; }

 private:
  void serve(const TlsServerOptions& options, const std::function<void(SSL*)>& talk);

  Fd listening_;
  std::uint16_t port_ = 0;
  bool shaken_ = false;
  std::string server_name_;
  std::thread thread_;
};

/// All of it. False if the connection is gone.
bool send_all(SSL* ssl, std::string_view bytes);
/// Up to `enough` bytes, or until the client says goodbye or is gone.
std::string receive(SSL* ssl, std::size_t enough = SIZE_MAX);
/// Sends back whatever comes; says goodbye when the client does.
void echo(SSL* ssl);

}  // namespace sluice::net
