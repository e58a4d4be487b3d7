// Fuzzes what gateways' headers say of a request: the client's address, the route, the path. Input: the
// target, then one "Name: value" a line. Promises: an address is one, and nothing that a client puts before
// the last hop that is not trusted changes it; a path has one spelling; every descriptor has a name and a
// value.
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "server/http_identity.h"
#include "server/http_options.h"
#include "server/http_path.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/syntax.h"

namespace sluice::fuzz {
namespace {

using server::AddressHeader;
using server::HttpRules;
using wire::http1::Request;

std::shared_ptr<const HttpRules> rules_for(AddressHeader kind) {
  server::HttpOptions options;
  options.identities = {{.descriptor = "user", .header = "X-User-Id"},
                        {.descriptor = "api_key", .header = "X-Api-Key", .hashed = true}};
  options.address_header = kind;
  options.address_is_identity = false;
  options.trusted_proxies = {"10.0.0.0/8", "2001:db8::/32", "::1"};
  options.routes = {"/users/*/orders", "/static/**", "/"};
  auto rules = HttpRules::make(std::move(options));
  SLUICE_ASSERT(rules.has_value());
  return *std::move(rules);
}

void check_path(std::string_view target) {
  const std::string path = server::normal_path(target);
  if (!target.starts_with('/')) {
    SLUICE_ASSERT(path == target.substr(0, target.find('?')));
    return;
  }
  SLUICE_ASSERT(path.starts_with('/'));
  // Only what has a malformed escape is left as it is.
  if (path == target.substr(0, target.find('?'))) return;
  SLUICE_ASSERT(!path.contains("//") && (path == "/" || !path.ends_with('/')));
  const std::string closed = path + "/";
  SLUICE_ASSERT(!closed.contains("/../") && !closed.contains("/./"));
}

/// A client can write lines of its own before those that proxies add, but not move the address by them.
void check_forgery(const HttpRules& rules, Request request, std::string_view header, AddressHeader kind) {
  const std::string hop = kind == AddressHeader::forwarded ? "for=203.0.113.7" : "203.0.113.7";
  std::vector<wire::http1::Header> honest = {{header, hop}};
  std::vector<wire::http1::Header> forged = request.headers;
  forged.push_back({header, hop});
  request.headers = std::move(honest);
  const std::string address = rules.client_address(request);
  SLUICE_ASSERT(address == "203.0.113.7");
  request.headers = std::move(forged);
  SLUICE_ASSERT(rules.client_address(request) == address);
}

void check_request(AddressHeader kind, const Request& request) {
  const auto rules = rules_for(kind);
  const std::string address = rules->client_address(request);
  if (!address.empty()) {
    const auto parsed = Address::parse(address);
    SLUICE_ASSERT(parsed && parsed->text() == address);
  }
  for (const auto& [name, value] : rules->describe(request)) SLUICE_ASSERT(!name.empty() && !value.empty());
  const int status = rules->deny_status(request);
  SLUICE_ASSERT(status >= 400 && status <= 599);
  if (kind == AddressHeader::x_forwarded_for) check_forgery(*rules, request, "X-Forwarded-For", kind);
  if (kind == AddressHeader::forwarded) check_forgery(*rules, request, "Forwarded", kind);
}

bool is_line(std::string_view line) {
  for (const char c : line) {
    if (!wire::http1::is_text(c)) return false;
  }
  return true;
}

}  // namespace

void run(std::string_view bytes) {
  Request request;
  request.method = "GET";
  request.target = take_line(bytes);
  check_path(request.target);
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (!is_line(line)) continue;
    if (const auto field = wire::http1::split_field(line))
      request.headers.push_back({field->name, field->value});
  }
  for (const AddressHeader kind : {AddressHeader::x_forwarded_for, AddressHeader::forwarded,
                                   AddressHeader::x_real_ip, AddressHeader::cf_connecting_ip}) {
    check_request(kind, request);
  }
}

}  // namespace sluice::fuzz
