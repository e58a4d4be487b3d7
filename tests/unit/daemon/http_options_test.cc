// Aim: each setting of [http] arrives at the server as what it says. Method: configurations as text, loaded
// and mapped; every word of every setting; the defaults against those of the server.
#include "daemon/http_options.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load.h"
#include "server/http_options.h"

namespace sluice::daemon {
namespace {

using server::AddressHeader;
using server::HeaderSource;
using server::HttpOptions;
using server::IetfHeaders;
using server::LegacyHeaders;
using Texts = std::vector<std::string>;

HttpOptions options_of(std::string_view toml) {
  const auto config = config::load_text(toml, "sluice.toml");
  if (!config) {
    ADD_FAILURE() << config.error().at(0).text();
    return {};
  }
  return http_options(config->settings.http);
}

/// "user<X-User-Id", "api_key<X-Api-Key hashed"
Texts shown(const std::vector<HeaderSource>& sources) {
  Texts texts;
  for (const HeaderSource& source : sources)
    texts.push_back(source.descriptor + "<" + source.header + (source.hashed ? " hashed" : ""));
  return texts;
}

TEST(HttpOptions, Defaults) {
  const HttpOptions options = options_of("");
  const HttpOptions blank;
  EXPECT_EQ(options.legacy, blank.legacy);
  EXPECT_EQ(options.ietf, blank.ietf);
  EXPECT_EQ(options.retry_after, blank.retry_after);
  EXPECT_EQ(options.warning, blank.warning);
  EXPECT_EQ(options.problem_json, blank.problem_json);
  EXPECT_EQ(options.deny_status, blank.deny_status);
  EXPECT_EQ(options.deny_status_header, blank.deny_status_header);
  EXPECT_EQ(options.address_descriptor, blank.address_descriptor);
  EXPECT_EQ(options.address_is_identity, blank.address_is_identity);
  EXPECT_EQ(options.address_header, blank.address_header);
  EXPECT_EQ(options.path_headers, blank.path_headers);
  EXPECT_EQ(options.method_headers, blank.method_headers);
  EXPECT_EQ(shown(options.identities), (Texts{"user<X-User-Id", "api_key<X-Api-Key hashed"}));
  EXPECT_TRUE(options.extra.empty());
  EXPECT_TRUE(options.trusted_proxies.empty());
  EXPECT_TRUE(options.routes.empty());
}

TEST(HttpOptions, AllSet) {
  const HttpOptions options = options_of(R"([http]
retry_after = false
warning = false
problem_json = false
deny_status = 403
deny_status_header = ""
trusted_proxies = ["10.0.0.0/8"]
routes = ["/a/*"]
[http.descriptors]
order = ["b", "a"]
always = ["c", "ip"]
headers = { a = "X-A", b = "X-B", c = "X-C" }
hashed = ["a", "c"]
path_headers = ["X-Path"]
method_headers = ["X-Method"]
)");
  EXPECT_FALSE(options.retry_after);
  EXPECT_FALSE(options.warning);
  EXPECT_FALSE(options.problem_json);
  EXPECT_EQ(options.deny_status, 403);
  EXPECT_EQ(options.deny_status_header, "");
  EXPECT_EQ(options.trusted_proxies, (Texts{"10.0.0.0/8"}));
  EXPECT_EQ(options.routes, (Texts{"/a/*"}));
  EXPECT_EQ(shown(options.identities), (Texts{"b<X-B", "a<X-A hashed"}));
  EXPECT_EQ(shown(options.extra), (Texts{"c<X-C hashed"}));
  EXPECT_EQ(options.path_headers, (Texts{"X-Path"}));
  EXPECT_EQ(options.method_headers, (Texts{"X-Method"}));
}

TEST(HttpOptions, TheAddressIsIdentityOrAlwaysOrNothing) {
  const HttpOptions always = options_of("[http.descriptors]\norder = [\"user\"]\nalways = [\"ip\"]\n");
  EXPECT_EQ(always.address_descriptor, "ip");
  EXPECT_FALSE(always.address_is_identity);
  EXPECT_TRUE(always.extra.empty());
  const HttpOptions last = options_of("[http.descriptors]\norder = [\"user\", \"ip\"]\n");
  EXPECT_EQ(last.address_descriptor, "ip");
  EXPECT_TRUE(last.address_is_identity);
  const HttpOptions nothing = options_of("[http.descriptors]\norder = [\"user\"]\n");
  EXPECT_EQ(nothing.address_descriptor, "");
  EXPECT_FALSE(nothing.address_is_identity);
}

TEST(HttpOptions, EveryWord) {
  const auto with = [](std::string_view key, std::string_view word) {
    return options_of(std::string("[http]\n").append(key).append(" = \"").append(word).append("\"\n"));
  };
  for (const auto& [word, value] : std::vector<std::pair<std::string_view, LegacyHeaders>>{
           {"off", LegacyHeaders::off}, {"delta", LegacyHeaders::delta}, {"epoch", LegacyHeaders::epoch}}) {
    EXPECT_EQ(with("legacy_headers", word).legacy, value) << word;
  }
  for (const auto& [word, value] :
       std::vector<std::pair<std::string_view, IetfHeaders>>{{"off", IetfHeaders::off},
                                                             {"draft6", IetfHeaders::draft6},
                                                             {"draft7", IetfHeaders::draft7},
                                                             {"draft8", IetfHeaders::draft8},
                                                             {"draft12", IetfHeaders::draft12},
                                                             {"both", IetfHeaders::both}}) {
    EXPECT_EQ(with("ratelimit_headers", word).ietf, value) << word;
  }
  for (const auto& [word, value] : std::vector<std::pair<std::string_view, AddressHeader>>{
           {"x-forwarded-for", AddressHeader::x_forwarded_for},
           {"forwarded", AddressHeader::forwarded},
           {"x-real-ip", AddressHeader::x_real_ip},
           {"cf-connecting-ip", AddressHeader::cf_connecting_ip}}) {
    EXPECT_EQ(with("address_header", word).address_header, value) << word;
  }
}

}  // namespace
}  // namespace sluice::daemon
