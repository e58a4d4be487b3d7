#include "base/http_url.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/connector.h"
#include "base/result.h"
#include "base/text.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxUrl = 2048;
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

std::uint16_t own_port(bool tls) {
  return tls ? kHttpsPort : kHttpPort;
}

/// Takes "http://" or "https://" off, in any case.
std::optional<bool> take_scheme(std::string_view& text) {
  constexpr std::string_view kHttps = "https://";
  constexpr std::string_view kHttp = "http://";
  const bool tls = equals_ignoring_case(text.substr(0, kHttps.size()), kHttps);
  if (!tls && !equals_ignoring_case(text.substr(0, kHttp.size()), kHttp)) return std::nullopt;
  text.remove_prefix(tls ? kHttps.size() : kHttp.size());
  return tls;
}

/// "host", "host:port", "[::1]" or "[::1]:port".
Result<Endpoint> parse_authority(std::string_view authority, bool tls) {
  const std::size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && !authority.substr(colon).contains(']');
  const std::string whole =
      has_port ? std::string(authority) : fmt::format("{}:{}", authority, own_port(tls));
  auto endpoint = Endpoint::parse(whole);
  if (!endpoint) {
    return failure(
        fmt::format("must name its host as in http://alerts:9000/ or http://[::1]:9000/, not \"{}\"",
                    printable(authority)));
  }
  return endpoint;
}

}  // namespace

Result<HttpUrl> HttpUrl::parse(std::string_view text) {
  if (text.size() > kMaxUrl) return failure(fmt::format("must have at most {} bytes", kMaxUrl));
  if (!std::ranges::all_of(text, is_graphic))
    return failure("must be visible ASCII; write other bytes as %NN");
  const auto tls = take_scheme(text);
  if (!tls) return failure("must begin with http:// or https://");
  if (text.contains('#')) return failure("must not have a fragment (#…)");
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  const std::string_view authority = text.substr(0, end);
  if (authority.contains('@')) return failure("must not have a user and password before its host");
  auto endpoint = parse_authority(authority, *tls);
  if (!endpoint) return std::unexpected(endpoint.error());

  std::string_view target = text.substr(end);
  const std::string_view root = target.starts_with('/') ? "" : "/";
  HttpUrl url{.tls = *tls, .endpoint = *endpoint, .host = endpoint->text(), .target = std::string(root)};
  url.target += target;
  if (endpoint->port == own_port(*tls)) url.host.erase(url.host.rfind(':'));
  return url;
}

std::string HttpUrl::text() const {
  return fmt::format("{}://{}{}", tls ? "https" : "http", host, target);
}

}  // namespace sluice
