// Aim: [http] and [http.descriptors] arrive as written or as their defaults; what contradicts itself is told
// at its place. Method: whole files field by field; a table of bad files with their exact texts.
#include "config/http.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "config/settings.h"
#include "config/table.h"
#include "problems.h"

namespace sluice::config {
namespace {

using Http = Settings::Http;
using Headers = std::vector<Http::Header>;

Http load(std::string_view toml) {
  const auto config = load_text(toml, "sluice.toml");
  EXPECT_TRUE(config) << config.error().at(0).text();
  return config ? config->settings.http : Http{};
}

void expect_defaults(const Http& http) {
  EXPECT_EQ(http.legacy_headers, "delta");
  EXPECT_EQ(http.ratelimit_headers, "draft8");
  EXPECT_TRUE(http.retry_after);
  EXPECT_TRUE(http.warning);
  EXPECT_TRUE(http.problem_json);
  EXPECT_EQ(http.deny_status, 429);
  EXPECT_EQ(http.deny_status_header, "X-Sluice-Deny-Status");
  EXPECT_EQ(http.trusted_proxies, Texts{});
  EXPECT_EQ(http.address_header, "x-forwarded-for");
  EXPECT_EQ(http.routes, Texts{});
  EXPECT_EQ(http.descriptors.order, (Texts{"user", "api_key", "ip"}));
  EXPECT_EQ(http.descriptors.always, Texts{});
  EXPECT_EQ(http.descriptors.headers, (Headers{{"api_key", "X-Api-Key"}, {"user", "X-User-Id"}}));
  EXPECT_EQ(http.descriptors.hashed, (Texts{"api_key"}));
  EXPECT_EQ(http.descriptors.path_headers, (Texts{"X-Original-URI", "X-Forwarded-Uri"}));
  EXPECT_EQ(http.descriptors.method_headers, (Texts{"X-Original-Method", "X-Forwarded-Method"}));
}

TEST(Http, Defaults) {
  expect_defaults(load(""));
  expect_defaults(load("[http]\n"));
  expect_defaults(load("[http.descriptors]\n"));
  expect_defaults(load(reference_toml()));
}

TEST(Http, AllSet) {
  const Http http = load(R"([http]
legacy_headers = "epoch"
ratelimit_headers = "both"
retry_after = false
warning = false
problem_json = false
deny_status = 599
deny_status_header = ""
trusted_proxies = ["10.0.0.0/8", "::1"]
address_header = "forwarded"
routes = ["/", "/users/*/orders"]
descriptors = { order = ["b"], always = ["ip", "a"], headers = { b = "X-B", a = "x!a" }, hashed = ["b"], path_headers = [], method_headers = ["M"] }
)");
  EXPECT_EQ(http.legacy_headers, "epoch");
  EXPECT_EQ(http.ratelimit_headers, "both");
  EXPECT_FALSE(http.retry_after);
  EXPECT_FALSE(http.warning);
  EXPECT_FALSE(http.problem_json);
  EXPECT_EQ(http.deny_status, 599);
  EXPECT_EQ(http.deny_status_header, "");
  EXPECT_EQ(http.trusted_proxies, (Texts{"10.0.0.0/8", "::1"}));
  EXPECT_EQ(http.address_header, "forwarded");
  EXPECT_EQ(http.routes, (Texts{"/", "/users/*/orders"}));
  EXPECT_EQ(http.descriptors.order, (Texts{"b"}));
  EXPECT_EQ(http.descriptors.always, (Texts{"ip", "a"}));
  EXPECT_EQ(http.descriptors.headers, (Headers{{"a", "x!a"}, {"b", "X-B"}}));
  EXPECT_EQ(http.descriptors.hashed, (Texts{"b"}));
  EXPECT_EQ(http.descriptors.path_headers, Texts{});
  EXPECT_EQ(http.descriptors.method_headers, (Texts{"M"}));
}

TEST(Http, HeadersAloneTakeNamesOutOfDefaultLists) {
  const Http user = load("[http.descriptors]\nheaders = { user = \"X-Auth-User\" }\n");
  EXPECT_EQ(user.descriptors.order, (Texts{"user", "ip"}));
  EXPECT_EQ(user.descriptors.hashed, Texts{});
  const Http none = load("[http.descriptors]\nheaders = {}\n");
  EXPECT_EQ(none.descriptors.order, (Texts{"ip"}));
}

TEST(Http, EverythingReloads) {
  for (const Setting& setting : settings_table()) {
    if (setting.section != "http" && setting.section != kDescriptorsSection) continue;
    EXPECT_EQ(setting.change, Change::reload) << setting.key;
  }
}

struct BadLine {
  std::string_view line;
  Texts expected;  ///< without the file's name
};

void expect_texts(const std::string& header, const std::vector<BadLine>& lines) {
  for (const BadLine& bad : lines) {
    Texts expected;
    for (const std::string& text : bad.expected) expected.push_back("sluice.toml:" + text);
    EXPECT_EQ(problems(header + "\n" + std::string(bad.line) + "\n"), expected) << bad.line;
  }
}

TEST(Http, BadValues) {
  expect_texts(
      "[http]",
      {
          {R"(legacy_header = "off")",
           {R"(2:1: unknown key "legacy_header" in [http]; did you mean "legacy_headers"?)"}},
          {R"(descriptor = {})", {R"(2:1: unknown key "descriptor" in [http]; did you mean "descriptors"?)"}},
          {"descriptors = 5",
           {"2:15: descriptors must be a table, written [http.descriptors], not an integer"}},
          {R"(legacy_headers = "epok")",
           {R"(2:18: unknown legacy_headers "epok"; known: "delta", "epoch", "off"; did you mean "epoch"?)"}},
          {R"(ratelimit_headers = "draft9")",
           {R"(2:21: unknown ratelimit_headers "draft9"; known: "draft8", "draft12", "both", "draft7", "draft6", "off"; )"
            R"(did you mean "draft8"?)"}},
          {R"(retry_after = "yes")", {R"(2:15: retry_after must be true or false, not "yes")"}},
          {"deny_status = 399", {"2:15: deny_status is 399; it must be from 400 to 599"}},
          {"deny_status = 600", {"2:15: deny_status is 600; it must be from 400 to 599"}},
          {R"(deny_status_header = "X Y")",
           {R"(2:22: deny_status_header must be a header name such as "X-User-Id", not "X Y")"}},
          {R"(trusted_proxies = ["::1", "proxy", "10.0.0.1/8", "10.0.0.0/33"])",
           {R"(2:27: trusted_proxies must be addresses or CIDR blocks such as "10.0.0.0/8", not "proxy")",
            R"(2:36: trusted_proxies has a wrong block: "10.0.0.1/8" has bits set beyond its prefix; the network is )"
            "10.0.0.0/8",
            R"(2:50: trusted_proxies has a wrong block: "10.0.0.0/33" must end in a prefix length from /0 to /32)"}},
          {R"(trusted_proxies = "::1")", {R"(2:19: trusted_proxies must be a list of strings, not "::1")"}},
          {R"(address_header = "x-real-up")",
           {R"(2:18: unknown address_header "x-real-up"; known: "x-forwarded-for", "forwarded", "x-real-ip", )"
            R"("cf-connecting-ip"; did you mean "x-real-ip"?)"}},
          {R"(routes = ["/a", "b", ""])",
           {R"(2:17: routes must begin with "/", not as "b")",
            R"(2:22: routes must begin with "/", not as "")"}},
      });
}

TEST(Http, BadDescriptors) {
  expect_texts(
      "[http.descriptors]",
      {
          {"odrer = []", {R"(2:1: unknown key "odrer" in [http.descriptors]; did you mean "order"?)"}},
          {R"(order = ["user", "usr"])",
           {R"(2:18: order names "usr", which is not in headers; did you mean "user"?)"}},
          {R"(order = ["user", "iq"])",
           {R"(2:18: order names "iq", which is not in headers; did you mean "ip"?)"}},
          {R"(always = ["tenant"])", {R"(2:11: always names "tenant", which is not in headers)"}},
          {R"(hashed = ["user", "api_keys", "ip"])",
           {R"(2:19: hashed names "api_keys", which is not in headers; did you mean "api_key"?)",
            R"(2:31: hashed names "ip", the client's address, which comes from no header)"}},
          {R"(always = ["user"])", {R"(2:11: always names "user", which is already in order)"}},
          {R"(always = ["ip"])", {R"(2:11: always names "ip", which is already in order)"}},
          {R"(order = ["user", "user"])", {R"(2:18: order names "user", which is already in order)"}},
          {R"(order = ["user", "ip", "api_key"])",
           {R"(2:18: order must have "ip" as its last: every request has an address, so nothing after it would count)"}},
          {R"(headers = { user = "X User", api_key = 5 })",
           {R"(2:20: headers.user must be a header name such as "X-User-Id", not "X User")",
            "2:40: headers.api_key must be a string, not an integer"}},
          {R"(headers = { user = "" })",
           {R"(2:20: headers.user must be a header name such as "X-User-Id", not "")"}},
          {R"(headers = "X-User")",
           {R"(2:11: headers must be a table such as { user = "X-User-Id" }, not "X-User")"}},
          {R"(headers = { ip = "X-Ip" })",
           {R"(2:13: headers names "ip", which Sluice fills itself; choose another name)"}},
          {R"(headers = { route = "X-Route" })",
           {R"(2:13: headers names "route", which Sluice fills itself; choose another name)"}},
          {R"(headers = { "" = "X-A" })", {"2:13: headers has an empty name"}},
          {"headers = { user = \"X-U\" }\nhashed = [\"api_key\"]",
           {R"(3:11: hashed names "api_key", which is not in headers)"}},
          {R"(path_headers = ["X-A", "X:A"])",
           {R"(2:24: path_headers must be a header name such as "X-User-Id", not "X:A")"}},
          {R"(method_headers = [""])",
           {R"(2:19: method_headers must be a header name such as "X-User-Id", not "")"}},
      });
}

}  // namespace
}  // namespace sluice::config
