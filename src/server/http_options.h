// How HTTP is answered; from [http] of the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::server {

/// X-RateLimit-Limit, -Remaining, -Reset.
enum class LegacyHeaders : std::uint8_t {
  off,
  delta,  ///< Reset in seconds from now
  epoch,  ///< Reset as Unix time
};

/// The IETF RateLimit fields, by what the draft looked like.
enum class IetfHeaders : std::uint8_t {
  off,
  draft6,   ///< RateLimit-Limit, -Remaining, -Reset; RateLimit-Policy: 100;w=60
  draft7,   ///< RateLimit: limit=100, remaining=50, reset=5; RateLimit-Policy: 100;w=60
  draft8,   ///< RateLimit: "per-user";r=50;t=5; RateLimit-Policy: "per-user";q=100;w=60   (drafts 8 to 11)
  draft12,  ///< RateLimit: "per-user";a=50;w=5; policy as draft8
  both,     ///< r and a, t and w together: unknown parameters are ignored by both
};

/// Where a descriptor of /v1/authorize comes from.
struct HeaderSource {
  std::string descriptor;  ///< "user"
  std::string header;      ///< "X-User-Id"
  bool hashed =
      false;  ///< the value is replaced by the SHA-256 of it, in hexadecimal, before anything sees it
};

/// From which header the client's address is taken, behind trusted proxies.
enum class AddressHeader : std::uint8_t { x_forwarded_for, forwarded, x_real_ip, cf_connecting_ip };

struct HttpOptions {
  LegacyHeaders legacy = LegacyHeaders::delta;
  IetfHeaders ietf = IetfHeaders::draft8;
  bool retry_after = true;
  bool warning = true;
  bool problem_json = true;  ///< else denials are plain application/json
  int deny_status = 429;     ///< of /v1/authorize; 400…599
  std::string deny_status_header =
      "X-Sluice-Deny-Status";  ///< request header that overrides it; empty: none may

  // [http.descriptors]
  std::vector<HeaderSource> identities{};  ///< in `order`: the first that is present names the caller
  std::vector<HeaderSource> extra{};       ///< always added where present
  std::string address_descriptor = "ip";   ///< empty: none
  bool address_is_identity = true;         ///< only when no identity is present; else always added
  AddressHeader address_header = AddressHeader::x_forwarded_for;
  std::vector<std::string>
      trusted_proxies{};  ///< CIDR; walked from the right until the first that is not trusted
  std::string method_descriptor = "method";  ///< empty: none
  std::string path_descriptor = "path";      ///< empty: none; without the query
  std::vector<std::string> path_headers = {"X-Original-URI", "X-Forwarded-Uri"};
  std::vector<std::string> method_headers = {"X-Original-Method", "X-Forwarded-Method"};
  std::vector<std::string> routes{};  ///< "/users/*/orders": the first that matches becomes `route`
  std::string route_descriptor = "route";
};

}  // namespace sluice::server
