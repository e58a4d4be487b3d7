// Aim: what sentinels and cluster nodes say is read right, with host names, bare IPv6, empty and unknown
// hosts; nonsense is an error and no address. The cluster's checksum is the published one, and the shards'
// tags are spread evenly over the slots.
//
// Method: tables.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "store/redis/cluster_slots.h"
#include "store/redis/crc16.h"
#include "store/redis/reply.h"
#include "store/redis/sentinel_replies.h"

namespace sluice::store::redis {
namespace {

using Kind = Reply::Kind;

Reply text(std::string value) {
  return {.kind = Kind::string, .text = std::move(value)};
}
Reply number(std::int64_t value) {
  return {.kind = Kind::integer, .integer = value};
}
Reply list(std::vector<Reply> items) {
  return {.kind = Kind::array, .items = std::move(items)};
}
Reply error(std::string value) {
  return {.kind = Kind::error, .text = std::move(value)};
}
Endpoint at(std::string host, std::uint16_t port) {
  return {.host = std::move(host), .port = port};
}

TEST(SentinelReplies, AddressesAreNamesOrBareAddresses) {
  for (const std::string host : {"10.0.0.1", "::1", "fe80::1%eth0", "redis-0.redis.svc"}) {
    const auto address = parse_master_address(list({text(host), text("6379")}));
    ASSERT_TRUE(address) << host;
    EXPECT_EQ(*address, at(host, 6379));
  }
  const auto none = parse_master_address({});
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, std::nullopt);
}

TEST(SentinelReplies, NonsenseIsNoAddress) {
  const std::vector<Reply> nonsense = {error("NOPERM this user has no permissions"),
                                       text("10.0.0.1:6379"),
                                       number(1),
                                       list({}),
                                       list({text("a")}),
                                       list({text(""), text("6379")}),
                                       list({text("a"), text("0")}),
                                       list({text("a"), text("65536")}),
                                       list({text("a"), text("x")}),
                                       list({text(std::string(256, 'a')), text("1")}),
                                       list({text("10.0.0\r\n"), text("6379")}),
                                       list({text("?"), text("6379")}),
                                       list({text(std::string("a\0b", 3)), text("6379")})};
  for (std::size_t i = 0; i < nonsense.size(); ++i) EXPECT_FALSE(parse_master_address(nonsense[i])) << i;
  EXPECT_TRUE(parse_master_address(nonsense[0]).error().message.contains("NOPERM"));
}

TEST(SentinelReplies, TheEpochIsOneOfManyFields) {
  EXPECT_EQ(parse_config_epoch(list({text("name"), text("a"), text("config-epoch"), text("17"), text("x")})),
            17U);
  EXPECT_EQ(parse_config_epoch(list({text("config-epoch"), text("-1")})), std::nullopt);
  EXPECT_EQ(parse_config_epoch(list({text("name"), text("config-epoch"), text("3"), text("4")})),
            std::nullopt);
  EXPECT_EQ(parse_config_epoch(error("NOPERM")), std::nullopt);
}

TEST(SentinelReplies, Switches) {
  const auto change = parse_switch("limits-a 10.0.0.1 6379 ::1 6380");
  ASSERT_TRUE(change);
  EXPECT_EQ(change->master, "limits-a");
  EXPECT_EQ(change->from, at("10.0.0.1", 6379));
  EXPECT_EQ(change->to, at("::1", 6380));
  for (const std::string_view nonsense :
       {"", "limits-a", "limits-a 10.0.0.1 6379 ::1", "limits-a 10.0.0.1 6379 ::1 6380 more",
        "limits-a 10.0.0.1 x ::1 6380", " 10.0.0.1 6379 ::1 6380", "limits-a  10.0.0.1 6379 ::1 6380"})
    EXPECT_FALSE(parse_switch(nonsense)) << nonsense;
}

TEST(ClusterSlots, RangesMastersAndNodes) {
  const Reply reply = list({
      list({number(0), number(5460), list({text("10.0.0.1"), number(7000), text("id"), list({})}),
            list({text("10.0.0.4"), number(7003), text("id")})}),
      list({number(5461), number(5461), list({text(""), number(7001), text("id")})}),
      list({number(5462), number(9000), list({Reply{}, number(7002), text("id")})}),
      list({number(9001), number(9001), list({text("?"), number(7002), text("id")})}),
      list({number(16383), number(16383), list({text("::1"), number(7000), text("id")})}),
  });
  const auto map = parse_cluster_slots(reply, at("seed", 7009));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->master_of(0), at("10.0.0.1", 7000));
  EXPECT_EQ(map->master_of(5460), at("10.0.0.1", 7000));
  EXPECT_EQ(map->master_of(5461), at("seed", 7001)) << "an empty host is the one that was asked";
  EXPECT_EQ(map->master_of(5462), std::nullopt);
  EXPECT_EQ(map->master_of(9001), std::nullopt);
  EXPECT_EQ(map->master_of(9002), std::nullopt) << "nobody has it";
  EXPECT_EQ(map->master_of(16383), at("::1", 7000));
  const std::vector<Endpoint> nodes = {at("10.0.0.1", 7000), at("seed", 7001), at("::1", 7000),
                                       at("10.0.0.4", 7003)};
  EXPECT_EQ(map->nodes, nodes);
}

TEST(ClusterSlots, NonsenseIsAnError) {
  const Reply node = list({text("a"), number(1)});
  const std::vector<Reply> nonsense = {error("ERR This instance has cluster support disabled"),
                                       list({}),
                                       text("OK"),
                                       list({text("a")}),
                                       list({list({number(0), number(1)})}),
                                       list({list({number(-1), number(1), node})}),
                                       list({list({number(0), number(16384), node})}),
                                       list({list({text("0"), number(1), node})}),
                                       list({list({number(9), number(8), node})})};
  for (std::size_t i = 0; i < nonsense.size(); ++i)
    EXPECT_FALSE(parse_cluster_slots(nonsense[i], at("seed", 1))) << i;
}

TEST(ClusterSlots, HostsThatNobodyCouldDialAreUnknown) {
  for (const Reply& host : {text("a b"), text("a\n"), text(std::string(256, 'a')), number(7), error("a")}) {
    const auto map =
        parse_cluster_slots(list({list({number(0), number(1), list({host, number(1)})})}), at("seed", 1));
    ASSERT_TRUE(map);
    EXPECT_EQ(map->master_of(0), std::nullopt) << host.text;
    EXPECT_TRUE(map->nodes.empty());
  }
}

TEST(ClusterSlots, MovedIsSplitAtTheLastColon) {
  EXPECT_EQ(parse_moved("MOVED 3999 10.0.0.1:6381"), at("10.0.0.1", 6381));
  EXPECT_EQ(parse_moved("MOVED 3999 ::1:6381"), at("::1", 6381));
  EXPECT_EQ(parse_moved("MOVED 3999 redis-0.svc:6381"), at("redis-0.svc", 6381));
  EXPECT_EQ(parse_moved("ERR script: MOVED 3999 10.0.0.1:6381 and more"), at("10.0.0.1", 6381));
  for (const std::string_view none :
       {"", "MOVED", "MOVED 3999", "MOVED 3999 :6381", "MOVED 3999 ?:6381", "MOVED 3999 a:x",
        "ASK 3999 10.0.0.1:6381", "CLUSTERDOWN The cluster is down", "MOVED 3999 host"})
    EXPECT_EQ(parse_moved(none), std::nullopt) << none;
}

TEST(Crc16, IsXmodem) {
  static_assert(crc16("123456789") == 0x31C3);
  static_assert(crc16("") == 0);
  EXPECT_EQ(slot_of_tag("foo"), 12182) << "as CLUSTER KEYSLOT says";
}

TEST(ShardTags, HaveEqualPartsOfTheSlots) {
  for (std::size_t i = 0; i < kShardTags.size(); ++i) {
    const std::size_t width = kSlots / kShardTags.size();
    const std::size_t half = width / 2;
    const auto middle = static_cast<double>(i * width + half);
    EXPECT_NEAR(slot_of_tag(kShardTags[i]), middle, static_cast<double>(width) / 8) << kShardTags[i];
  }
  EXPECT_EQ(std::set(kShardTags.begin(), kShardTags.end()).size(), kShardTags.size());
}

TEST(ShardTags, NeverChange) {
  std::string all;
  for (const std::string_view tag : kShardTags) all += std::string(tag) + " ";
  EXPECT_EQ(crc16(all), 53262) << all;
}

}  // namespace
}  // namespace sluice::store::redis
