// Certificates for the tests of TLS, made on the spot.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <vector>

namespace sluice::net {

struct FreeOpenSsl {
  void operator()(EVP_PKEY* key) const;
  void operator()(X509* certificate) const;
};
using OwnedKey = std::unique_ptr<EVP_PKEY, FreeOpenSsl>;
using OwnedCertificate = std::unique_ptr<X509, FreeOpenSsl>;

enum class Validity { now, past, future };

/// Whom a certificate is for. `names` as OpenSSL writes them: "DNS:redis", "IP:127.0.0.1".
struct Subject {
  std::vector<std::string> names{};
  Validity validity = Validity::now;
};

/// The files of a certificate and its key, both PEM.
struct CertificateFiles {
  std::string cert;
  std::string key;
};

/// An authority with a key of its own. Those of one name differ in nothing but the key.
class Authority {
 public:
  /// Writes its certificate to `directory`/`name`.pem.
  Authority(std::string directory, const std::string& name);

  [[nodiscard]] const std::string& file() const { return file_; }
  /// Writes `directory`/`name`.pem and .key, over what may be there.
  [[nodiscard]] CertificateFiles issue(const std::string& name, const Subject& subject) const;

 private:
  std::string directory_;
  std::string file_;
  OwnedKey key_;
  OwnedCertificate certificate_;
};

}  // namespace sluice::net
