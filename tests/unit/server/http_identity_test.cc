// Aim: who is asking is found where it was configured, and nowhere a client could forge. Method: tables of
// requests.
#include "server/http_identity.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "server/http_options.h"
#include "wire/http1/request_parser.h"

namespace sluice::server {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using HeaderLines = std::vector<wire::http1::Header>;

wire::http1::Request request(HeaderLines headers) {
  wire::http1::Request out;
  out.method = "GET";
  out.target = "/v1/authorize";
  out.headers = std::move(headers);
  return out;
}

std::shared_ptr<const HttpRules> rules(HttpOptions options) {
  auto made = HttpRules::make(std::move(options));
  return made ? *made : nullptr;
}

std::string client(const HeaderLines& headers, std::vector<std::string> trusted,
                   AddressHeader from = AddressHeader::x_forwarded_for) {
  HttpOptions options;
  options.trusted_proxies = std::move(trusted);
  options.address_header = from;
  return rules(options)->client_address(request(headers));
}

TEST(ClientAddress, IsWalkedFromTheRightPastTrustedProxies) {
  const std::vector<std::string> trusted{"10.0.0.0/8", "2001:db8::/32"};
  const std::vector<std::pair<std::string_view, std::string>> cases{
      {"203.0.113.5", "203.0.113.5"},
      {"203.0.113.5, 10.1.1.1", "203.0.113.5"},
      {"1.2.3.4, 203.0.113.5, 10.1.1.1, 10.2.2.2", "203.0.113.5"},
      {"6.6.6.6, 10.1.1.1, 203.0.113.5, 10.2.2.2", "203.0.113.5"},
      {"10.1.1.1, 10.2.2.2", "10.1.1.1"},
      {"203.0.113.5, ::ffff:10.1.1.1", "203.0.113.5"},
      {"203.0.113.5:4711, 2001:db8::1", "203.0.113.5"},
      {"[2001:4860::5]:4711, [2001:db8::1]", "2001:4860::5"},
      {"::ffff:203.0.113.5", "203.0.113.5"},
      {"6.6.6.6, unknown, 10.1.1.1", "10.1.1.1"},
      {"6.6.6.6, , 10.1.1.1", "10.1.1.1"},
      {"evil", ""},
      {"", ""},
  };
  for (const auto& [header, expected] : cases) {
    EXPECT_EQ(client({{.name = "X-Forwarded-For", .value = header}}, trusted), expected) << header;
  }
}

TEST(ClientAddress, WithoutTrustedProxiesTheRightmostIsTheClient) {
  EXPECT_EQ(client({{.name = "x-forwarded-for", .value = "6.6.6.6, 203.0.113.5"}}, {}), "203.0.113.5");
}

TEST(ClientAddress, SeveralLinesAreOneChain) {
  EXPECT_EQ(client({{.name = "X-Forwarded-For", .value = "6.6.6.6, 203.0.113.5"},
                    {.name = "X-Forwarded-For", .value = "10.1.1.1"}},
                   {"10.0.0.0/8"}),
            "203.0.113.5");
}

TEST(ClientAddress, Forwarded) {
  const auto from = [](std::string_view value) {
    return client({{.name = "Forwarded", .value = value}}, {"10.0.0.0/8"}, AddressHeader::forwarded);
  };
  EXPECT_EQ(from("for=203.0.113.5;proto=http, for=10.1.1.1"), "203.0.113.5");
  EXPECT_EQ(from("proto=https;For=\"[2001:4860::5]:4711\", for=10.1.1.1"), "2001:4860::5");
  EXPECT_EQ(from("for=6.6.6.6, for=_hidden, for=10.1.1.1"), "10.1.1.1");
  EXPECT_EQ(from("proto=http"), "");
}

TEST(ClientAddress, SingleHeadersMustBeSingle) {
  EXPECT_EQ(client({{.name = "X-Real-IP", .value = "203.0.113.5"}}, {}, AddressHeader::x_real_ip),
            "203.0.113.5");
  EXPECT_EQ(client({{.name = "X-Real-IP", .value = "203.0.113.5"}, {.name = "X-Real-IP", .value = "6.6.6.6"}},
                   {}, AddressHeader::x_real_ip),
            "");
  EXPECT_EQ(
      client({{.name = "CF-Connecting-IP", .value = "2001:4860::5"}}, {}, AddressHeader::cf_connecting_ip),
      "2001:4860::5");
}

HttpOptions gateway() {
  HttpOptions options;
  options.identities = {{.descriptor = "user", .header = "X-User-Id"},
                        {.descriptor = "api_key", .header = "X-Api-Key", .hashed = true}};
  options.extra = {{.descriptor = "tenant", .header = "X-Tenant"}};
  options.routes = {"/users/*/orders", "/files/**"};
  return options;
}

TEST(Describe, TheFirstIdentityThatIsThereNamesTheCaller) {
  const HeaderLines address{{.name = "X-Forwarded-For", .value = "203.0.113.5"}};
  HeaderLines all = address;
  all.push_back({.name = "X-User-Id", .value = "7"});
  all.push_back({.name = "X-Api-Key", .value = "secret"});
  EXPECT_EQ(rules(gateway())->describe(request(all)), (Pairs{{"user", "7"}}));
  HeaderLines key = address;
  key.push_back({.name = "X-Api-Key", .value = "secret"});
  EXPECT_EQ(rules(gateway())->describe(request(key)), (Pairs{{"api_key", to_hex(sha256("secret"))}}));
  EXPECT_EQ(rules(gateway())->describe(request(address)), (Pairs{{"ip", "203.0.113.5"}}));
  HttpOptions both = gateway();
  both.address_is_identity = false;
  EXPECT_EQ(rules(both)->describe(request(all)), (Pairs{{"user", "7"}, {"ip", "203.0.113.5"}}));
}

TEST(Describe, RepeatedOrEmptyIdentitiesAreNone) {
  EXPECT_EQ(rules(gateway())->describe(
                request({{.name = "X-User-Id", .value = "7"}, {.name = "x-user-id", .value = "8"}})),
            Pairs{});
  EXPECT_EQ(rules(gateway())->describe(request({{.name = "X-User-Id", .value = ""}})), Pairs{});
}

TEST(Describe, MethodPathAndRoute) {
  EXPECT_EQ(rules(gateway())->describe(request({{.name = "X-Original-URI", .value = "/users/7/orders?page=2"},
                                                {.name = "X-Original-Method", .value = "POST"},
                                                {.name = "X-Tenant", .value = "acme"}})),
            (Pairs{{"tenant", "acme"},
                   {"method", "POST"},
                   {"route", "/users/*/orders"},
                   {"path", "/users/7/orders"}}));
}

TEST(Describe, AnAppendedPathCountsBeforeHeaders) {
  auto from_envoy = request(
      {{.name = "X-Original-URI", .value = "/forged"}, {.name = "X-Original-Method", .value = "GET"}});
  from_envoy.method = "DELETE";
  from_envoy.target = "/v1/authorize/users/7/orders?x=1";
  EXPECT_EQ(rules(gateway())->describe(from_envoy),
            (Pairs{{"method", "DELETE"}, {"route", "/users/*/orders"}, {"path", "/users/7/orders"}}));
}

TEST(Describe, AnotherSpellingOfThePathIsTheSamePath) {
  for (const std::string_view target :
       {"/users/7/orders/", "/users//7/orders", "/users/7/%6frders", "/x/../users/7/./orders?a"}) {
    EXPECT_EQ(rules(gateway())->describe(request({{.name = "X-Original-URI", .value = target}})),
              (Pairs{{"route", "/users/*/orders"}, {"path", "/users/7/orders"}}))
        << target;
  }
}

TEST(Route, MatchesBySegments) {
  const auto compiled = rules(gateway());
  EXPECT_EQ(compiled->route_of("/users/7/orders"), "/users/*/orders");
  EXPECT_EQ(compiled->route_of("/files/a/b/c"), "/files/**");
  for (const std::string_view path :
       {"/users/7", "/users//orders", "/users/7/orders/1", "/users/7/orders/", "users/7/orders", "/", ""}) {
    EXPECT_EQ(compiled->route_of(path), "") << path;
  }
}

TEST(DenyStatus, IsTheSettingOrTheGatewaysWish) {
  const auto compiled = rules(gateway());
  EXPECT_EQ(compiled->deny_status(request({})), 429);
  EXPECT_EQ(compiled->deny_status(request({{.name = "X-Sluice-Deny-Status", .value = "403"}})), 403);
  for (const std::string_view value : {"200", "600", "abc", "-403", ""}) {
    EXPECT_EQ(compiled->deny_status(request({{.name = "X-Sluice-Deny-Status", .value = value}})), 429)
        << value;
  }
  HttpOptions fixed = gateway();
  fixed.deny_status_header.clear();
  EXPECT_EQ(rules(fixed)->deny_status(request({{.name = "X-Sluice-Deny-Status", .value = "403"}})), 429);
}

TEST(Make, RefusesBadSettings) {
  HttpOptions proxies;
  proxies.trusted_proxies = {"10.0.0.1/8"};
  EXPECT_FALSE(HttpRules::make(proxies));
  HttpOptions routes;
  routes.routes = {"users"};
  EXPECT_FALSE(HttpRules::make(routes));
}

}  // namespace
}  // namespace sluice::server
