#include "net/tls_context.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/types.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "net/tls_failure.h"
#include "net/tls_options.h"

namespace sluice::net {
namespace {

/// Without it OpenSSL would ask for the password of an encrypted key on the terminal.
int no_password(char* /*into*/, int /*size*/, int /*writing*/, void* /*data*/) {
  return 0;
}

/// "/etc/sluice/ca.pem holds no certificates in PEM form: no start line"
std::unexpected<Error> bad_file(const std::string& path, std::string_view what) {
  return failure(fmt::format("{} {}: {}", path, what, take_error_text()));
}

Result<void> trust(SSL_CTX* context, const std::string& file) {
  if (file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return failure("the system's certificate authorities cannot be loaded: " + take_error_text());
  }
  if (SSL_CTX_load_verify_file(context, file.c_str()) == 1) return {};
  return bad_file(file, "cannot be read as certificates of authorities (PEM)");
}

Result<void> present(SSL_CTX* context, const TlsOptions& options) {
  if (options.cert.empty() && options.key.empty()) return {};
  if (options.cert.empty() || options.key.empty())
    return failure("a client certificate takes both files, cert and key");
  if (SSL_CTX_use_certificate_chain_file(context, options.cert.c_str()) != 1)
    return bad_file(options.cert, "cannot be read as a certificate (PEM)");
  // This also compares the key with the certificate.
  if (SSL_CTX_use_PrivateKey_file(context, options.key.c_str(), SSL_FILETYPE_PEM) != 1)
    return bad_file(options.key, "cannot be used as the private key of " + options.cert);
  return {};
}

}  // namespace

void TlsContext::Free::operator()(SSL_CTX* context) const {
  SSL_CTX_free(context);
}

Result<std::shared_ptr<const TlsContext>> TlsContext::make(const TlsOptions& options) {
  ERR_clear_error();
  Owned context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return failure("TLS cannot be set up: " + take_error_text());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  // A resumed session would not be verified against authorities that have changed since.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  if (const auto done = trust(context.get(), options.ca); !done) return std::unexpected(done.error());
  if (const auto done = present(context.get(), options); !done) return std::unexpected(done.error());
  std::string authorities = options.ca.empty() ? "the system's list" : options.ca;
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(context), std::move(authorities)));
}

}  // namespace sluice::net
