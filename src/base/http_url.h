// Where an HTTP request goes, as people write it.
#pragma once

#include <string>
#include <string_view>

#include "base/connector.h"
#include "base/result.h"

namespace sluice {

struct HttpUrl {
  bool tls = false;      ///< https
  Endpoint endpoint{};   ///< never a Unix socket; port 80 or 443 where none is written
  std::string host{};    ///< as the Host field has it: with the port if it is not the scheme's own
  std::string target{};  ///< path and query: "/" at least, visible ASCII only

  bool operator==(const HttpUrl&) const = default;

  /// "http://alerts:9000/sluice", "https://hooks.example/T0/B1?x=y", "http://[::1]/". Refused: other schemes,
  /// a user and password, a fragment, what is not visible ASCII, and more than 2,048 bytes. The error never
  /// shows the path, which with many services is the secret.
  [[nodiscard]] static Result<HttpUrl> parse(std::string_view text);
  /// As parse() reads it.
  [[nodiscard]] std::string text() const;
};

}  // namespace sluice
