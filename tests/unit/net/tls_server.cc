#include "unit/net/tls_server.h"

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "net/posix.h"

namespace sluice::net {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// So that a test which goes wrong ends.
constexpr int kPatienceSeconds = 60;

SSL_CTX* make_context(const TlsServerOptions& options) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  require(SSL_CTX_use_certificate_chain_file(context, options.certificate.cert.c_str()) == 1);
  require(SSL_CTX_use_PrivateKey_file(context, options.certificate.key.c_str(), SSL_FILETYPE_PEM) == 1);
  if (!options.client_authority.empty()) {
    require(SSL_CTX_load_verify_file(context, options.client_authority.c_str()) == 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  if (options.max_version != 0) SSL_CTX_set_max_proto_version(context, options.max_version);
  return context;
}

}  // namespace

TlsServer::TlsServer(const TlsServerOptions& options, std::function<void(SSL*)> talk) {
  listening_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  require(::bind(listening_.get(), raw, size) == 0);
  require(::listen(listening_.get(), 1) == 0);
  require(::getsockname(listening_.get(), raw, &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this, options, talk = std::move(talk)] { serve(options, talk); });
}

TlsServer::~TlsServer() {
  ::shutdown(listening_.get(), SHUT_RDWR);  // if nobody has come
  join();
}

void TlsServer::join() {
  if (thread_.joinable()) thread_.join();
}

void TlsServer::serve(const TlsServerOptions& options, const std::function<void(SSL*)>& talk) {
  const Fd socket{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  if (socket.get() < 0) return;
  const timeval patience{.tv_sec = kPatienceSeconds, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  SSL_CTX* const context = make_context(options);
  SSL* const ssl = SSL_new(context);
  SSL_set_fd(ssl, socket.get());
  shaken_ = SSL_accept(ssl) == 1;
  if (shaken_) {
    const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
    if (name != nullptr) server_name_ = name;
    talk(ssl);
  }
  SSL_free(ssl);
  SSL_CTX_free(context);
}

bool send_all(SSL* ssl, std::string_view bytes) {
  std::size_t sent = 0;
  return SSL_write_ex(ssl, bytes.data(), bytes.size(), &sent) == 1;
}

std::string receive(SSL* ssl, std::size_t enough) {
  std::string all;
  std::array<char, 4096> chunk{};
  std::size_t got = 0;
  while (all.size() < enough &&
         SSL_read_ex(ssl, chunk.data(), std::min(chunk.size(), enough - all.size()), &got) == 1) {
    all.append(chunk.data(), got);
  }
  return all;
}

void echo(SSL* ssl) {
  std::array<char, 5000> chunk{};
  std::size_t got = 0;
  while (SSL_read_ex(ssl, chunk.data(), chunk.size(), &got) == 1) {
    if (!send_all(ssl, {chunk.data(), got})) return;
  }
  SSL_shutdown(ssl);
}

}  // namespace sluice::net
