// What a TLS connection needs beyond the address.
#pragma once

#include <string>

namespace sluice::net {

struct TlsOptions {
  std::string ca{};    ///< file of the trusted authorities, PEM; empty: the system's
  std::string cert{};  ///< file of our certificate and its chain, PEM; empty: none. Both or none of these two
  std::string key{};   ///< file of its private key, PEM, not encrypted
  /// The name or address that the server's certificate must be valid for; empty: the host that is dialled.
  std::string server_name{};
};

}  // namespace sluice::net
