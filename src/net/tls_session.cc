#include "net/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/tls1.h>
#include <openssl/types.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/address.h"
#include "net/tls_context.h"
#include "net/tls_failure.h"

namespace sluice::net {

void TlsSession::Free::operator()(SSL* ssl) const {
  SSL_free(ssl);
}

TlsSession::TlsSession(const TlsContext& context, TlsPeer peer)
    : peer_(std::move(peer)), ssl_(SSL_new(context.get())) {
  BIO* const from_peer = BIO_new(BIO_s_mem());
  BIO* const to_peer = BIO_new(BIO_s_mem());
  if (ssl_ == nullptr || from_peer == nullptr || to_peer == nullptr) throw std::bad_alloc();
  SSL_set_bio(ssl_.get(), from_peer, to_peer);  // it owns them now
  SSL_set_connect_state(ssl_.get());
  if (!expect_name()) static_cast<void>(fail());
}

bool TlsSession::expect_name() {
  // DNS takes a dot at the end of a name; certificates have none.
  std::string name = peer_.name;
  if (name.ends_with('.')) name.pop_back();
  if (name.empty()) return false;  // an empty name would be taken as: any
  if (const auto address = Address::parse(name)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), address->text().c_str()) == 1;
  }
  SSL_set_hostflags(ssl_.get(), X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // What SSL_set_tlsext_host_name() stands for, which casts in a way that our warnings refuse.
  return SSL_set1_host(ssl_.get(), name.c_str()) == 1 &&
         SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()) == 1;
}

void TlsSession::feed(std::string_view bytes) {
  std::size_t taken = 0;
  // Memory takes everything, or there is none left.
  if (!bytes.empty() && BIO_write_ex(SSL_get_rbio(ssl_.get()), bytes.data(), bytes.size(), &taken) != 1)
    throw std::bad_alloc();
}

TlsSession::Step TlsSession::handshake() {
  if (!failure_.empty()) return Step::failed;
  ERR_clear_error();
  const Step step = step_of(SSL_do_handshake(ssl_.get()));
  return step == Step::ended ? fail() : step;
}

TlsSession::Read TlsSession::read(std::span<char> into) {
  Read read;
  ERR_clear_error();
  read.step = step_of(SSL_read_ex(ssl_.get(), into.data(), into.size(), &read.size));
  return read;
}

TlsSession::Step TlsSession::write(std::string_view bytes) {
  std::size_t taken = 0;
  ERR_clear_error();
  const Step step = step_of(SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &taken));
  // It could only be hungry while a handshake is under way, and renegotiation is off.
  return step == Step::done ? step : fail();
}

void TlsSession::say_goodbye() {
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

std::string TlsSession::take_output() {
  BIO* const output = SSL_get_wbio(ssl_.get());
  std::string bytes(BIO_ctrl_pending(output), '\0');
  std::size_t got = 0;
  if (!bytes.empty()) BIO_read_ex(output, bytes.data(), bytes.size(), &got);
  bytes.resize(got);
  return bytes;
}

TlsSession::Step TlsSession::step_of(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
      return Step::done;
    case SSL_ERROR_WANT_READ:
      return Step::hungry;
    case SSL_ERROR_ZERO_RETURN:
      return Step::ended;
    default:
      return fail();
  }
}

TlsSession::Step TlsSession::fail() {
  if (failure_.empty()) failure_ = take_failure(peer_, SSL_get_verify_result(ssl_.get()));
  return Step::failed;
}

}  // namespace sluice::net
