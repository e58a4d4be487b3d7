#include "server/http_identity.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/hash.h"
#include "base/result.h"
#include "base/text.h"
#include "server/http_options.h"
#include "server/http_path.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/syntax.h"

namespace sluice::server {
namespace {

constexpr int kLeastDenyStatus = 400;
constexpr int kMostDenyStatus = 599;

/// "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]", "[2001:db8::1]:80", "2001:db8::1".
std::optional<Address> address_of_hop(std::string_view hop) {
  if (hop.starts_with('[')) {
    const std::size_t end = hop.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    return Address::parse(hop.substr(1, end - 1));
  }
  // One colon is a port's; more are an IPv6 address's own.
  const std::size_t colon = hop.find(':');
  if (colon != std::string_view::npos && hop.find(':', colon + 1) == std::string_view::npos)
    hop = hop.substr(0, colon);
  return Address::parse(hop);
}

/// The value of for= in one element of Forwarded (RFC 7239), unquoted; empty when there is none.
std::string_view forwarded_for(std::string_view element) {
  while (!element.empty()) {
    const std::size_t semicolon = element.find(';');
    const std::string_view pair = wire::http1::trimmed(element.substr(0, semicolon));
    element = semicolon == std::string_view::npos ? std::string_view{} : element.substr(semicolon + 1);
    constexpr std::string_view kFor = "for=";
    if (pair.size() < kFor.size() || !equals_ignoring_case(pair.substr(0, kFor.size()), kFor)) continue;
    std::string_view value = pair.substr(kFor.size());
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return value;
  }
  return {};
}

/// The chain of hops, leftmost first, over all the lines of a header.
std::vector<std::string_view> hops_of(const std::vector<std::string_view>& lines, AddressHeader kind) {
  std::vector<std::string_view> hops;
  for (std::string_view line : lines) {
    for (;;) {
      const std::size_t comma = line.find(',');
      const std::string_view element = wire::http1::trimmed(line.substr(0, comma));
      hops.push_back(kind == AddressHeader::forwarded ? forwarded_for(element) : element);
      if (comma == std::string_view::npos) break;
      line.remove_prefix(comma + 1);
    }
  }
  return hops;
}

std::string_view header_name(AddressHeader kind) {
  switch (kind) {
    case AddressHeader::x_forwarded_for:
      return "X-Forwarded-For";
    case AddressHeader::forwarded:
      return "Forwarded";
    case AddressHeader::x_real_ip:
      return "X-Real-IP";
    case AddressHeader::cf_connecting_ip:
      break;
  }
  return "CF-Connecting-IP";
}

/// The segment before the next '/', which is taken off `path` with it.
std::string_view next_segment(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view segment = path.substr(0, slash);
  path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  return segment;
}

bool matches_route(std::string_view pattern, std::string_view path) {
  if (!path.starts_with('/')) return false;
  pattern.remove_prefix(1);
  path.remove_prefix(1);
  for (;;) {
    if (pattern == "**") return true;
    const bool last_of_pattern = pattern.find('/') == std::string_view::npos;
    const bool last_of_path = path.find('/') == std::string_view::npos;
    const std::string_view wanted = next_segment(pattern);
    const std::string_view given = next_segment(path);
    if (wanted == "*" ? given.empty() : wanted != given) return false;
    if (last_of_pattern || last_of_path) return last_of_pattern && last_of_path;
  }
}

/// The first of the headers that is there.
std::string_view first_present(const wire::http1::Request& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string_view value = request.header(name); !value.empty()) return value;
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const HttpRules>> HttpRules::make(HttpOptions options) {
  std::shared_ptr<HttpRules> rules(new HttpRules(std::move(options)));
  for (const std::string& text : rules->options_.trusted_proxies) {
    auto cidr = parse_cidr(text);
    if (!cidr) return failure("trusted_proxies: " + cidr.error().message);
    rules->trusted_.push_back(*cidr);
  }
  for (const std::string& route : rules->options_.routes) {
    if (!route.starts_with('/')) return failure("routes: \"" + printable(route) + "\" must begin with /");
  }
  return rules;
}

std::vector<std::pair<std::string, std::string>> HttpRules::describe(
    const wire::http1::Request& request) const {
  std::vector<std::pair<std::string, std::string>> out;
  const auto add = [&](const HeaderSource& source) {
    const std::string_view value = request.header(source.header);
    if (value.empty()) return false;
    out.emplace_back(source.descriptor, source.hashed ? to_hex(sha256(value)) : std::string(value));
    return true;
  };
  bool identified = false;
  for (const HeaderSource& source : options_.identities) {
    if (add(source)) {
      identified = true;
      break;
    }
  }
  if (!options_.address_descriptor.empty() && !(identified && options_.address_is_identity)) {
    if (std::string address = client_address(request); !address.empty()) {
      out.emplace_back(options_.address_descriptor, std::move(address));
    }
  }
  for (const HeaderSource& source : options_.extra) static_cast<void>(add(source));

  const bool appended = request.target.starts_with(kAuthorizePath) &&
                        request.target.size() > kAuthorizePath.size() &&
                        request.target[kAuthorizePath.size()] == '/';
  const std::string_view method = appended ? request.method : first_present(request, options_.method_headers);
  if (!options_.method_descriptor.empty() && !method.empty())
    out.emplace_back(options_.method_descriptor, method);
  const std::string_view target =
      appended ? request.target.substr(kAuthorizePath.size()) : first_present(request, options_.path_headers);
  std::string path = normal_path(target);
  if (path.empty()) return out;
  if (const std::string_view route = route_of(path); !route.empty())
    out.emplace_back(options_.route_descriptor, route);
  if (!options_.path_descriptor.empty()) out.emplace_back(options_.path_descriptor, std::move(path));
  return out;
}

std::string HttpRules::client_address(const wire::http1::Request& request) const {
  const AddressHeader kind = options_.address_header;
  if (kind == AddressHeader::x_real_ip || kind == AddressHeader::cf_connecting_ip) {
    const auto address = address_of_hop(request.header(header_name(kind)));
    return address ? address->text() : std::string();
  }
  const auto hops = hops_of(request.all(header_name(kind)), kind);
  std::string client;
  for (const std::string_view hop : std::views::reverse(hops)) {
    const auto address = address_of_hop(hop);
    if (!address) break;
    client = address->text();
    bool trusted = false;
    for (const Cidr& cidr : trusted_) trusted = trusted || cidr.contains(*address);
    if (!trusted) break;
  }
  return client;
}

std::string_view HttpRules::route_of(std::string_view path) const {
  for (const std::string& route : options_.routes) {
    if (matches_route(route, path)) return route;
  }
  return {};
}

int HttpRules::deny_status(const wire::http1::Request& request) const {
  if (options_.deny_status_header.empty()) return options_.deny_status;
  const auto asked = parse_int(request.header(options_.deny_status_header));
  if (!asked || *asked < kLeastDenyStatus || *asked > kMostDenyStatus) return options_.deny_status;
  return static_cast<int>(*asked);
}

}  // namespace sluice::server
