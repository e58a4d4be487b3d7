// Aim: Endpoint reads the three forms of an address, writes them back the same, and says of all else what
// would be right.
//
// Method: tables of texts.
#include "base/connector.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

TEST(EndpointTest, ReadsAndWritesEachForm) {
  const std::vector<std::pair<std::string, Endpoint>> cases = {
      {"redis:6379", {.host = "redis", .port = 6379}},
      {"limits-a.redis.svc.cluster.local.:1", {.host = "limits-a.redis.svc.cluster.local.", .port = 1}},
      {"under_score:65535", {.host = "under_score", .port = 65535}},
      {"10.0.0.7:6379", {.host = "10.0.0.7", .port = 6379}},
      {"[::1]:6379", {.host = "::1", .port = 6379}},
      {"[fe80::1%eth0]:6379", {.host = "fe80::1%eth0", .port = 6379}},
      {"/run/redis.sock", {.path = "/run/redis.sock"}},
      {"/with:colon]", {.path = "/with:colon]"}},
  };
  for (const auto& [text, want] : cases) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_TRUE(endpoint.has_value()) << text << ": " << endpoint.error().message;
    EXPECT_EQ(*endpoint, want) << text;
    EXPECT_EQ(endpoint->text(), text);
  }
}

TEST(EndpointTest, SaysWhatWouldBeRight) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "has no port"},
      {"redis", "has no port"},
      {"[::1]", "has no port"},
      {"[::1", "has no port"},
      {"[::1]6379", "has no port"},
      {":6379", "has no host"},
      {"redis:", "1 to 65535"},
      {"redis:0", "1 to 65535"},
      {"redis:65536", "1 to 65535"},
      {"redis:-1", "1 to 65535"},
      {"redis:+1", "1 to 65535"},
      {"redis:6379x", "1 to 65535"},
      {"::1:6379", "without brackets"},
      {"redis:6379:6380", "without brackets"},
      {"[redis]:6379", "no IPv6 address in its brackets"},
      {"[10.0.0.7]:6379", "no IPv6 address in its brackets"},
      {"[]:6379", "no IPv6 address in its brackets"},
      {"[::1%a\n]:6379", "no IPv6 address in its brackets"},
      {std::string("[::1%a\0]:6379", 13), "no IPv6 address in its brackets"},
      {"300.0.0.1:6379", "IPv4 address that is none"},
      {"10.1:6379", "IPv4 address that is none"},
      {"user@redis:6379", "neither a name nor an address"},
      {"re dis:6379", "neither a name nor an address"},
      {"run/redis.sock", "no absolute path"},
      {"redis://redis:6379", "no absolute path"},
      {std::string("/a\0b", 4), "zero byte"},
      {std::string(254, 'a') + ":6379", "253 bytes"},
  };
  for (const auto& [text, want] : cases) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_FALSE(endpoint.has_value()) << text;
    EXPECT_NE(endpoint.error().message.find(want), std::string::npos) << endpoint.error().message;
  }
}

TEST(EndpointTest, BoundsThePath) {
  const std::string longest = "/" + std::string(106, 'a');
  EXPECT_TRUE(Endpoint::parse(longest).has_value());
  const auto longer = Endpoint::parse(longest + "a");
  ASSERT_FALSE(longer.has_value());
  EXPECT_NE(longer.error().message.find("at most 107 bytes"), std::string::npos);
}

TEST(ShardAddressTest, HasANameOfItsOwnOrIsItsName) {
  const auto named = ShardAddress::parse("a=redis-a:6379");
  ASSERT_TRUE(named.has_value()) << named.error().message;
  EXPECT_EQ(named->name, "a");
  EXPECT_EQ(named->endpoint, (Endpoint{.host = "redis-a", .port = 6379}));
  for (const std::string_view text : {"redis-a:6379", "[::1]:6379", "/run/a=b.sock"}) {
    const auto shard = ShardAddress::parse(text);
    ASSERT_TRUE(shard.has_value()) << shard.error().message;
    EXPECT_EQ(shard->name, text);
    EXPECT_EQ(shard->endpoint.text(), text);
  }
  const std::string longest(64, 'n');
  EXPECT_TRUE(ShardAddress::parse(longest + "=/r.sock").has_value());
  for (const std::string& text : {std::string("=a:1"), std::string("a b=a:1"), longest + "n=a:1"}) {
    const auto shard = ShardAddress::parse(text);
    ASSERT_FALSE(shard.has_value()) << text;
    EXPECT_TRUE(shard.error().message.contains("has a name that is not 1 to 64 letters")) << text;
  }
  EXPECT_FALSE(ShardAddress::parse("a=b=c:1").has_value());
  EXPECT_FALSE(ShardAddress::parse("a=").has_value());
}

}  // namespace
}  // namespace sluice
