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
    R"(kind "redis" needs the server's address below [store.redis], such as shards = ["redis:6379"])";

TEST(Store, RedisNeedsAnAddress) {
  expect_texts({
      {"[store]\nkind = \"redis\"\n", {"sluice.toml:2:8: " + kNeedsAddress}},
      {"store.kind = \"redis\"\n", {"sluice.toml:1:14: " + kNeedsAddress}},
      {"[store.redis]\ntimeout = \"1s\"\n[store]\nkind = \"redis\"\n", {"sluice.toml:4:8: " + kNeedsAddress}},
      // Also when more is wrong.
      {"[store]\nkind = \"redis\"\n[store.redis]\nshard = []\n",
       {"sluice.toml:2:8: " + kNeedsAddress,
        R"(sluice.toml:4:1: unknown key "shard" in [store.redis]; did you mean "shards"?)"}},
  });
}

TEST(Store, SingleIsExactlyOneAddress) {
  const std::string one = R"(shards must be exactly one address with topology "single", such as shards = )"
                          R"(["redis:6379"], not )";
  expect_texts({
      {"[store.redis]\nshards = []\n", {"sluice.toml:2:10: " + one + "none"}},
      {"[store]\nkind = \"redis\"\n[store.redis]\nshards = []\n", {"sluice.toml:4:10: " + one + "none"}},
      {"[store.redis]\nshards = [\"a:1\", \"b:1\", \"c:1\"]\n", {"sluice.toml:2:18: " + one + "3"}},
      // With another topology it might be right.
      {"[store.redis]\ntopology = \"cluster\"\nshards = [\"a:1\", \"b:1\"]\n",
       {R"(sluice.toml:2:12: unknown topology "cluster"; known: "single")"}},
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
