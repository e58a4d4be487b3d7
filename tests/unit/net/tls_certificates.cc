#include "unit/net/tls_certificates.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/types.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

namespace sluice::net {
namespace {

constexpr long kDay = 24L * 3600;

void require(bool holds) {
  if (!holds) std::abort();
}

OwnedKey make_key() {
  OwnedKey key(EVP_EC_gen("P-256"));
  require(key != nullptr);
  return key;
}

void extend(X509* certificate, int what, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, what, value.c_str());
  require(extension != nullptr);
  require(X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

OwnedCertificate make_certificate(EVP_PKEY* key, const std::string& common_name, Validity validity) {
  OwnedCertificate certificate(X509_new());
  X509* const x509 = certificate.get();
  require(X509_set_version(x509, X509_VERSION_3) == 1);
  static long serial = 0;
  ASN1_INTEGER_set(X509_get_serialNumber(x509), ++serial);
  const long shift = validity == Validity::now ? 0 : (validity == Validity::past ? -10 : 10) * kDay;
  X509_gmtime_adj(X509_getm_notBefore(x509), shift - kDay);
  X509_gmtime_adj(X509_getm_notAfter(x509), shift + kDay);
  require(X509_set_pubkey(x509, key) == 1);
  require(X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                                     0) == 1);
  return certificate;
}

template <class Write>
void write_pem(const std::string& path, Write write) {
  BIO* const file = BIO_new_file(path.c_str(), "w");
  require(file != nullptr);
  require(write(file) == 1);
  BIO_free(file);
}

}  // namespace

void FreeOpenSsl::operator()(EVP_PKEY* key) const {
  EVP_PKEY_free(key);
}
void FreeOpenSsl::operator()(X509* certificate) const {
  X509_free(certificate);
}

Authority::Authority(std::string directory, const std::string& name)
    : directory_(std::move(directory)),
      file_(directory_ + "/" + name + ".pem"),
      key_(make_key()),
      certificate_(make_certificate(key_.get(), name, Validity::now)) {
  X509* const x509 = certificate_.get();
  require(X509_set_issuer_name(x509, X509_get_subject_name(x509)) == 1);
  extend(x509, NID_basic_constraints, "critical,CA:TRUE");
  require(X509_sign(x509, key_.get(), EVP_sha256()) > 0);
  write_pem(file_, [&](BIO* file) { return PEM_write_bio_X509(file, x509); });
}

CertificateFiles Authority::issue(const std::string& name, const Subject& subject) const {
  const CertificateFiles files{.cert = directory_ + "/" + name + ".pem",
                               .key = directory_ + "/" + name + ".key"};
  const OwnedKey key = make_key();
  const OwnedCertificate certificate = make_certificate(key.get(), "somebody", subject.validity);
  require(X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate_.get())) == 1);
  std::string names;
  for (const std::string& one : subject.names) names += (names.empty() ? "" : ",") + one;
  if (!names.empty()) extend(certificate.get(), NID_subject_alt_name, names);
  require(X509_sign(certificate.get(), key_.get(), EVP_sha256()) > 0);
  write_pem(files.cert, [&](BIO* file) { return PEM_write_bio_X509(file, certificate.get()); });
  write_pem(files.key, [&](BIO* file) {
    return PEM_write_bio_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return files;
}

}  // namespace sluice::net
