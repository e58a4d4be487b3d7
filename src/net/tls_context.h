// What all TLS connections of one kind share: trust, our certificate, the versions we speak. Inside net/.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "net/tls_options.h"

namespace sluice::net {

/// Holds what the files held when it was made, and does not look at them again.
class TlsContext {
 public:
  /// Reads the files. TLS 1.2 and later, the server's certificate always verified. The error names the file
  /// and what is wrong with it.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> make(const TlsOptions& options);

  [[nodiscard]] SSL_CTX* get() const { return context_.get(); }
  /// For people: the file of the trusted authorities, or words for the system's.
  [[nodiscard]] const std::string& authorities() const { return authorities_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const;
  };
  using Owned = std::unique_ptr<SSL_CTX, Free>;

  TlsContext(Owned context, std::string authorities)
      : context_(std::move(context)), authorities_(std::move(authorities)) {}

  Owned context_;
  std::string authorities_;
};

}  // namespace sluice::net
