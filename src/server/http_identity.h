// Who is asking, for gateways: descriptors out of request headers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/result.h"
#include "server/http_options.h"
#include "wire/http1/request_parser.h"

namespace sluice::server {

/// Where gateways ask. Envoy appends the path of the request it has before it, and asks with that request's
/// method.
inline constexpr std::string_view kAuthorizePath = "/v1/authorize";

/// HttpOptions, checked and compiled. Immutable; shared by connections and swapped on reload.
class HttpRules {
 public:
  /// The error names the setting ("trusted_proxies") and what is wrong.
  [[nodiscard]] static Result<std::shared_ptr<const HttpRules>> make(HttpOptions options);

  [[nodiscard]] const HttpOptions& options() const { return options_; }

  /// Descriptors of one request: identity, address, `always`, method, route, path (see normal_path). A path
  /// after kAuthorizePath counts before any header, since no client of a gateway that appends it can forge
  /// it; the method is then the request's own. `header` sources are taken as the gateway sent them: a header
  /// that is absent, empty or repeated gives none, since a repeated one may be forged.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> describe(
      const wire::http1::Request& request) const;

  /// The client's address: the setting's header, walked from the right past trusted proxies. The chain ends
  /// at the first address that is not trusted, or that is no address (then the last trusted one is the
  /// client: never further left, where anything can be forged). Empty when the header is absent.
  [[nodiscard]] std::string client_address(const wire::http1::Request& request) const;

  /// The configured pattern that `path` matches, segment by segment ("*" is one segment, a last "**" any
  /// rest); empty: none.
  [[nodiscard]] std::string_view route_of(std::string_view path) const;

  /// Of a denial: the request header's number, if the setting allows one and it is 400…599; else the setting.
  [[nodiscard]] int deny_status(const wire::http1::Request& request) const;

 private:
  explicit HttpRules(HttpOptions options) : options_(std::move(options)) {}
  HttpOptions options_;
  std::vector<Cidr> trusted_;
};

}  // namespace sluice::server
