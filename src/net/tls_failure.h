// What went wrong with TLS, as sentences for those who can mend it. Inside net/.
#pragma once

#include <string>
#include <string_view>

namespace sluice::net {

/// Whom a connection is with, for the texts.
struct TlsPeer {
  std::string endpoint{};     ///< as it was dialled: "redis:6379"
  std::string name{};         ///< that its certificate must be valid for, as it was configured or dialled
  std::string authorities{};  ///< where its authority should be found
};

/// The reason of the first error in OpenSSL's queue, which is emptied.
[[nodiscard]] std::string take_error_text();

/// The same as a sentence about the peer. `verify_result` is what SSL_get_verify_result() says.
[[nodiscard]] std::string take_failure(const TlsPeer& peer, long verify_result);

}  // namespace sluice::net
