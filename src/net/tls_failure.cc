#include "net/tls_failure.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>

#include <string>
#include <string_view>
#include <system_error>

namespace sluice::net {
namespace {

std::string text_of(unsigned long error) {
  if (error == 0) return "no reason given";
  if (ERR_SYSTEM_ERROR(error)) return std::generic_category().message(ERR_GET_REASON(error));
  const char* const reason = ERR_reason_error_string(error);
  return reason != nullptr ? reason : fmt::format("OpenSSL error {:x}", error);
}

std::string certificate_fault(const TlsPeer& peer, long result) {
  const std::string whose = "certificate of " + peer.endpoint;
  switch (result) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
      return fmt::format("{} is not valid for \"{}\": hostname mismatch", whose, peer.name);
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format("{} is not valid for \"{}\": IP address mismatch", whose, peer.name);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return fmt::format("{} is signed by an authority that {} does not contain", whose, peer.authorities);
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return whose + ", or of its authority, has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return whose + ", or of its authority, is not valid yet; is the clock right?";
    default:
      return fmt::format("{} is not accepted: {}", whose, X509_verify_cert_error_string(result));
  }
}

/// What the peer's alert, or its bytes, tell; empty when there is nothing to add to OpenSSL's own words.
std::string_view meaning_of(int reason) {
  switch (reason) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "wants a client certificate";
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return "refuses the handshake; it may want a client certificate, or none of our ciphers";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return "refuses our client certificate: it does not know its authority";
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
      return "refuses our client certificate: its signature is not of the authority that it names";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "refuses our client certificate: it has expired";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return "refuses our client certificate";
    case SSL_R_TLSV1_UNRECOGNIZED_NAME:
      return "does not know the server name that it was asked for";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "speaks no version of TLS that is new enough: 1.2 or later";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
      return "does not speak TLS there";
    default:
      return {};
  }
}

}  // namespace

std::string take_error_text() {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  return text_of(error);
}

std::string take_failure(const TlsPeer& peer, long verify_result) {
  const unsigned long error = ERR_get_error();
  ERR_clear_error();
  // Before any text of an error, which may be of the arithmetic that found the certificate wrong.
  if (verify_result != X509_V_OK) return certificate_fault(peer, verify_result);
  const bool ours = ERR_GET_LIB(error) == ERR_LIB_SSL;
  const std::string_view meaning = ours ? meaning_of(ERR_GET_REASON(error)) : std::string_view{};
  if (!meaning.empty()) return fmt::format("{} {} ({})", peer.endpoint, meaning, text_of(error));
  return fmt::format("TLS with {} failed: {}", peer.endpoint, text_of(error));
}

}  // namespace sluice::net
