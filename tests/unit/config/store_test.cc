// Aim: [store] and [store.redis] are taken when they are whole and refused where they are not. Method: a
// table of bad files with their exact texts; good ones beside them.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "problems.h"

namespace sluice::config {
namespace {

struct BadFile {
  std::string toml;
  Texts expected;
};

void expect_texts(const std::vector<BadFile>& files) {
  for (const BadFile& file : files) EXPECT_EQ(problems(file.toml), file.expected) << file.toml;
}

const std::string kNeedsAddress =
    R"(kind "redis" with topology "single" needs exactly one address below [store.redis], such as )"
    R"(shards = ["redis:6379"])";

TEST(Store, RedisNeedsShards) {
  expect_texts({
      {"[store]\nkind = \"redis\"\n", {"sluice.toml:2:8: " + kNeedsAddress}},
      {"store.kind = \"redis\"\n", {"sluice.toml:1:14: " + kNeedsAddress}},
      {"[store.redis]\ntimeout = \"1s\"\n[store]\nkind = \"redis\"\n", {"sluice.toml:4:8: " + kNeedsAddress}},
      // Also when more is wrong.
      {"[store]\nkind = \"redis\"\n[store.redis]\nshard = []\n",
       {"sluice.toml:2:8: " + kNeedsAddress,
        R"(sluice.toml:4:1: unknown key "shard" in [store.redis]; did you mean "shards"?)"}},
      {"store.kind = \"redis\"\nstore.redis.topology = \"cluster\"\n",
       {R"(sluice.toml:1:14: kind "redis" with topology "cluster" needs 1 to 64 addresses of nodes below )"
        R"([store.redis], such as shards = ["redis-0:6379", "redis-1:6379"])"}},
  });
}

/// [store.redis] with this topology and these shards, which begin in line 3, column 11.
std::string shards(const std::string& topology, const std::string& list, const std::string& more = "") {
  return "[store.redis]\ntopology = \"" + topology + "\"\nshards = [" + list + "]\n" + more;
}

const std::string kSentinels = "sentinels = [\"s:1\"]\n";

std::string many(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += "\"n" + std::to_string(i) + ":1\",";
  return list;
}

TEST(Store, HowManyShards) {
  const std::string one = R"(shards must be exactly one address with topology "single", such as shards = )"
                          R"(["redis:6379"], not )";
  const std::string some = R"(shards must be 1 to 64 addresses with topology "shards", such as shards = )"
                           R"(["a=redis-a:6379", "b=redis-b:6379"], not )";
  expect_texts({
      {"[store.redis]\nshards = []\n", {"sluice.toml:2:10: " + one + "none"}},
      {"[store]\nkind = \"redis\"\n[store.redis]\nshards = []\n", {"sluice.toml:4:10: " + one + "none"}},
      {"[store.redis]\nshards = [\"a:1\", \"b:1\", \"c:1\"]\n", {"sluice.toml:2:18: " + one + "3"}},
      {shards("shards", ""), {"sluice.toml:3:10: " + some + "none"}},
      {shards("shards", many(64)), {}},
      {shards("shards", many(65)), {"sluice.toml:3:513: " + some + "65"}},
      {shards("cluster", many(64)), {}},
      {shards("sentinel", "", kSentinels),
       {R"(sluice.toml:3:10: shards must be 1 to 64 names of masters with topology "sentinel", such as )"
        R"(shards = ["limits-a", "limits-b"], not none)"}},
      // With another topology it might be right.
      {"[store.redis]\ntopology = \"clutser\"\nshards = [\"a:1\", \"b:1\"]\n",
       {R"(sluice.toml:2:12: unknown topology "clutser"; known: "single", "shards", "sentinel", "cluster"; did )"
        R"(you mean "cluster"?)"}},
  });
}

TEST(Store, WhatShardsAre) {
  const std::string write = "; write redis:6379, 10.0.0.7:6379, [::1]:6379 or /run/redis.sock";
  const std::string names =
      R"(with topology "sentinel" shards are names of masters: 1 to 64 letters, digits and . - _, not )";
  expect_texts({
      {shards("shards", R"("a=redis:1", "b=[::1]:1", "c:1", "/x=y.sock")"), {}},
      {shards("sentinel", R"("a", "Limits_b.2-c")", kSentinels), {}},
      {shards("single", R"("a=redis:1")"),
       {R"(sluice.toml:3:11: shards has a wrong address: "a=redis:1" has a host that is neither a name nor an )"
        "address" +
        write}},
      {shards("shards", R"("a:1", "b=redis")"),
       {R"(sluice.toml:3:18: shards has a wrong address: "redis" has no port)" + write}},
      {shards("shards", R"("=redis:1")"),
       {R"(sluice.toml:3:11: shards has a wrong address: "=redis:1" has a name that is not 1 to 64 letters, )"
        "digits and _ . -; write a=redis-a:6379, or the address alone"}},
      {shards("shards", R"("a=x:1", "a=y:1")"), {R"(sluice.toml:3:20: "a" is twice among the shards)"}},
      {shards("shards", R"("a=x:1", "b=x:1")"), {"sluice.toml:3:20: two shards have the address x:1"}},
      {shards("cluster", R"("x:1", "x:1")"), {R"(sluice.toml:3:18: "x:1" is twice among the shards)"}},
      {shards("sentinel", R"("redis:6379")", kSentinels), {"sluice.toml:3:11: " + names + "\"redis:6379\""}},
      {shards("sentinel", R"("")", kSentinels), {"sluice.toml:3:11: " + names + "\"\""}},
      {shards("sentinel", R"("a", "a")", kSentinels), {R"(sluice.toml:3:16: "a" is twice among the shards)"}},
      {shards("cluster", "1"),
       {"sluice.toml:3:11: shards must be a list of strings, but this is an integer"}},
  });
}

TEST(Store, Sentinels) {
  const std::string redis = "store.kind = \"redis\"\n";
  const auto only = [](const std::string& what, const std::string& topology) {
    return what + " is only for topology \"sentinel\", and the topology is \"" + topology +
           "\"; change that or take this away";
  };
  expect_texts({
      {shards("sentinel", "\"a\""),
       {R"(sluice.toml:2:12: topology "sentinel" needs the addresses of the sentinels, such as sentinels = )"
        R"(["sentinel-0:26379", "sentinel-1:26379", "sentinel-2:26379"])"}},
      {shards("sentinel", "\"a\"", "sentinels = []\n"),
       {"sluice.toml:4:13: sentinels must be 1 to 16 addresses, not 0"}},
      {shards("sentinel", "\"a\"", "sentinels = [" + many(16) + "]\n"), {}},
      {shards("sentinel", "\"a\"", "sentinels = [" + many(17) + "]\n"),
       {"sluice.toml:4:13: sentinels must be 1 to 16 addresses, not 17"}},
      {shards("sentinel", "\"a\"", "sentinels = [\"s:1\", \"s:1\"]\n"),
       {R"(sluice.toml:4:21: "s:1" is twice among the sentinels)"}},
      {redis + shards("cluster", "\"a:1\"", kSentinels),
       {"sluice.toml:5:13: " + only("sentinels", "cluster")}},
      {redis + shards("shards", "\"a:1\"", "sentinel_auth.password_file = \"/p\"\nsentinel_tls = {}\n"),
       {"sluice.toml:5:1: " + only("sentinel_auth", "shards"),
        "sluice.toml:6:16: " + only("sentinel_tls", "shards")}},
      // Nothing of it is used when the kind is memory.
      {shards("cluster", "\"a:1\"", kSentinels), {}},
  });
}

TEST(Store, LoginsAreWhole) {
  const auto needs = [](const std::string& section) {
    return "username in " + section +
           " needs password_file: Redis takes a user's name only with a password; without both it is the "
           "default user";
  };
  expect_texts({
      {"[store.redis]\nusername = \"me\"\n", {"sluice.toml:2:12: " + needs("[store.redis]")}},
      {"[store.redis]\npassword_file = \"/p\"\n", {}},
      {"[store.redis.sentinel_auth]\nusername = \"me\"\n",
       {"sluice.toml:2:12: " + needs("[store.redis.sentinel_auth]")}},
      {"[store.redis.sentinel_auth]\nusername = \"me\"\npassword_file = \"p\"\n",
       {R"(sluice.toml:3:17: password_file must be an absolute path, not "p")"}},
  });
}

TEST(Store, Tls) {
  const auto tls_of = [](const std::string& toml) {
    const auto config = load_text(toml, "sluice.toml");
    EXPECT_TRUE(config) << toml;
    return config ? config->settings.store.redis.tls : Settings::Store::Tls{};
  };
  EXPECT_FALSE(tls_of("").on);
  EXPECT_FALSE(tls_of("[store.redis]\nshards = [\"a:1\"]\n").on);
  EXPECT_FALSE(tls_of("[store.redis.sentinel_tls]\n").on);
  EXPECT_TRUE(tls_of("[store.redis.tls]\n").on);
  EXPECT_TRUE(tls_of("[store.redis]\ntls = {}\n").on);
  EXPECT_EQ(tls_of("[store.redis]\ntls = { ca = \"/ca\", server_name = \"r\" }\n").ca, "/ca");
  expect_texts({
      {"[store.redis]\ntls = true\n",
       {"sluice.toml:2:7: tls must be a table, written [store.redis.tls], not a boolean"}},
      {"[store.redis.tls]\nca = \"ca.pem\"\n",
       {R"(sluice.toml:2:6: ca must be an absolute path, not "ca.pem")"}},
      {"[store.redis.tls]\nverify = false\n",
       {"sluice.toml:2:1: unknown key \"verify\" in [store.redis.tls]"}},
      {"[store.redis.tls]\ncert = \"/c\"\n",
       {"sluice.toml:2:8: cert in [store.redis.tls] needs key: a certificate of our own takes both files"}},
      {"[store.redis.sentinel_tls]\nkey = \"/k\"\n",
       {"sluice.toml:2:7: key in [store.redis.sentinel_tls] needs cert: a certificate of our own takes both "
        "files"}},
      {"[store.redis.tls]\nserver_name = \"\"\n", {"sluice.toml:2:15: server_name must not be empty"}},
      {"[store.redis]\nshards = [\"/r.sock\"]\ntls = {}\n",
       {"sluice.toml:2:11: the path of a Unix socket is no name that a certificate can be for; set "
        "server_name "
        "in [store.redis.tls], or take that table away"}},
      {"[store.redis]\nshards = [\"/r.sock\"]\ntls.server_name = \"r\"\n", {}},
  });
}

TEST(Store, MayKeepItsRedisWhenTheKindIsMemory) {
  const auto config =
      load_text("[store]\nkind = \"memory\"\n[store.redis]\nshards = [\"a:1\"]\n", "sluice.toml");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->settings.store.kind, "memory");
  EXPECT_EQ(config->settings.store.redis.shards, Texts{"a:1"});
}

TEST(Store, Addresses) {
  for (const std::string_view address : {"redis:6379", "10.0.0.7:6379", "[::1]:6379", "/run/redis.sock"}) {
    const std::string toml =
        "[store]\nkind = \"redis\"\nredis = { shards = [\"" + std::string(address) + "\"] }\n";
    EXPECT_EQ(problems(toml), Texts{});
  }
  for (const std::string_view address : {"redis", "redis:", "redis:0", "::1:6379", "redis.sock", ""}) {
    const Texts texts = problems("[store.redis]\nshards = [\"" + std::string(address) + "\"]\n");
    ASSERT_EQ(texts.size(), 1U) << address;
    const std::string beginning =
        "sluice.toml:2:11: shards has a wrong address: \"" + std::string(address) + "\" ";
    EXPECT_TRUE(texts[0].starts_with(beginning)) << texts[0];
  }
}

TEST(Store, SingleValues) {
  const std::string longest(64, 'p');
  EXPECT_EQ(problems("[store]\nprefix = \"" + longest + "\"\n"), Texts{});
  EXPECT_EQ(problems("[store]\nprefix = \"Az09_.:-\"\n"), Texts{});
  const std::string prefix = "sluice.toml:2:10: prefix must be 1 to 64 letters, digits and _ . : -, not ";
  const std::string redis = "[store.redis]\n";
  expect_texts({
      {"[store]\nprefix = \"\"\n", {prefix + "\"\""}},
      {"[store]\nprefix = \"a b\"\n", {prefix + "\"a b\""}},
      {"[store]\nprefix = \"{a}\"\n", {prefix + "\"{a}\""}},
      {"[store]\nprefix = \"" + longest + "p\"\n", {prefix + '"' + longest + "…\""}},
      {redis + "shards = \"a:1\"\n", {R"(sluice.toml:2:10: shards must be a list of strings, not "a:1")"}},
      {redis + "username = \"\"\n", {"sluice.toml:2:12: username must not be empty"}},
      {redis + "password_file = \"secret\"\n",
       {R"(sluice.toml:2:17: password_file must be an absolute path, not "secret")"}},
      {redis + "password_file = \"/a\\u0000b\"\n",
       {"sluice.toml:2:17: password_file must not contain a NUL byte"}},
      {redis + "connect_timeout = \"9ms\"\n",
       {"sluice.toml:2:19: connect_timeout is 9ms; it must be from 10ms to 1m"}},
      {redis + "connect_timeout = \"61s\"\n",
       {"sluice.toml:2:19: connect_timeout is 61s; it must be from 10ms to 1m"}},
      {redis + "timeout = \"4ms\"\n", {"sluice.toml:2:11: timeout is 4ms; it must be from 5ms to 1m"}},
      {redis + "timeout = \"2m\"\n", {"sluice.toml:2:11: timeout is 2m; it must be from 5ms to 1m"}},
      {redis + "pasword_file = \"/a\"\n",
       {R"(sluice.toml:2:1: unknown key "pasword_file" in [store.redis]; did you mean "password_file"?)"}},
      {"[store]\nredis = \"a:1\"\n",
       {"sluice.toml:2:9: redis must be a table, written [store.redis], not a string"}},
  });
}

}  // namespace
}  // namespace sluice::config
