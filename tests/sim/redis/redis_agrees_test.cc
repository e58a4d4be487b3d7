// Aim: the simulated server is a Redis. Method: it and a real redis-server are given the same thousands of
// random commands, right and wrong ones, plain and within scripts.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "property/limiter/walk.h"
#include "sim/redis/both_servers.h"
#include "sim/redis/redis_agrees.h"

namespace sluice::sim::testing {
namespace {

// Plain commands.

std::string random_word(Dice& dice) {
  static const std::vector<std::string> words_to_draw = {"a",
                                                         "b",
                                                         "h",
                                                         "i",
                                                         "0",
                                                         "1",
                                                         "-1",
                                                         "2",
                                                         "+1",
                                                         "01",
                                                         " 1",
                                                         "1 ",
                                                         "1.5",
                                                         "x",
                                                         "PX",
                                                         "px",
                                                         "EX",
                                                         "PXAT",
                                                         "EXAT",
                                                         "NX",
                                                         "XX",
                                                         "GET",
                                                         "KEEPTTL",
                                                         "",
                                                         "f",
                                                         "g",
                                                         "v",
                                                         "\r\n",
                                                         "\xff",
                                                         "9223372036854775807",
                                                         "9223372036854775808",
                                                         "-9223372036854775808",
                                                         "100000",
                                                         "200000",
                                                         "1e5",
                                                         "SYNC",
                                                         "ASYNC",
                                                         "LOAD",
                                                         "EXISTS",
                                                         "FLUSH",
                                                         "SETNAME",
                                                         "GETNAME",
                                                         "AUTH",
                                                         "default",
                                                         "nan",
                                                         "99999999999999",
                                                         "4000000000000",
                                                         "return 1",
                                                         "return KEYS[1]",
                                                         std::string("z\0y", 3),
                                                         "a b"};
  return one_of(dice, words_to_draw);
}

/// Some commands as they should be, for else most would be refused.
Words sound_command(Dice& dice) {
  const std::string key = one_of(dice, Words{"a", "b", "h", "i"});
  const std::string field = one_of(dice, Words{"f", "g", "", "k"});
  const std::string number = std::to_string(dice.between(-5, 5) * (dice.one_in(3) ? 1'000'000'000'000 : 1));
  const std::string life = std::to_string(dice.between(100'000, 100'000'000));
  switch (dice.between(0, 15)) {
    case 0:
      return {"SET", key, random_word(dice)};
    case 1:
      return {"SET", key, random_word(dice), "PX", life};
    case 2:
      return {"set", key, number, "nx", "EX", life};
    case 3:
      return {"SET", key, number, "XX", "KEEPTTL", "GET"};
    case 4:
      return {"SET", key, number, "PXAT",
              "4" + std::to_string(dice.between(100'000'000'000, 900'000'000'000))};
    case 5:
    case 6:
      return {"HSET", key, field, number, random_word(dice), random_word(dice)};
    case 7:
      return {"HINCRBY", key, field, number};
    case 8:
      return {"HDEL", key, field, random_word(dice)};
    case 9:
      return {"HMGET", key, field, random_word(dice), "f"};
    case 10:
      return {"DEL", key, random_word(dice), key};
    case 11:
      return {"EXISTS", key, key, "nothing"};
    case 12:
      return {"PERSIST", key};
    case 13:
      return {"HGET", key, field};
    case 14:
      return {"HLEN", key};
    default:
      return {"GET", key};
  }
}

/// Of those whose answers do not depend on the server; with any words after it.
Words strange_command(Dice& dice) {
  static const Words scripts_to_draw = {
      "GET",      "SET",     "DEL",      "EXISTS",   "HGET",      "HSET",      "HDEL",    "HMGET",   "HLEN",
      "HGETALL",  "HINCRBY", "PTTL",     "TYPE",     "PERSIST",   "PING",      "EVAL",    "EVALSHA", "SCRIPT",
      "CLIENT",   "AUTH",    "FLUSHALL", "READONLY", "READWRITE", "ASKING",    "CLUSTER", "foo",     "Get",
      "SENTINEL", "SELECT",  "WAIT",     "TIME",     "ROLE",      "SUBSCRIBE", "HELLO"};
  Words words{one_of(dice, scripts_to_draw)};
  for (auto n = dice.pick<std::int64_t>({0, 1, 1, 2, 2, 3, 3, 4, 5, 6}); n > 0; --n)
    words.push_back(random_word(dice));
  return words;
}

bool depends_on_server(const Words& words) {
  const std::string name = lowered(words[0]);
  if (name == "time" || name == "role") return words.size() == 1;
  if (name == "subscribe") return words.size() > 1;
  if (name == "wait") return words.size() == 3 && words[1] != "0" && words[1] != "-1";  // would wait
  if (name == "select") return words.size() == 2 && words[1] != "0" && words[1] != "-1";
  if (name == "client") return words.size() > 1 && lowered(words[1]) == "id";
  // Of a HELLO that is understood.
  if (name == "hello") return words.size() == 1 || words[1] == "2" || words[1] == "3";
  // Its own order; and no script that takes the other words' place.
  return name == "eval" && words.size() > 2 && words[1] != "return 1" && words[1] != "return KEYS[1]";
}

TEST_F(RedisAgrees, OnPlainCommands) {
  Dice dice(1);
  for (int i = 0; i < 20'000; ++i) {
    Words words = dice.one_in(2) ? sound_command(dice) : strange_command(dice);
    if (depends_on_server(words)) continue;
    ASSERT_NO_FATAL_FAILURE(step(words, lowered(words[0]) == "hgetall"));
  }
  EXPECT_GT(answers_, 5'000);
  EXPECT_GT(errors_, 5'000);
}

TEST_F(RedisAgrees, OnCommandsWithinScripts) {
  Dice dice(2);
  const Words scripts = {"return redis.call(unpack(ARGV))", "return redis.pcall(unpack(ARGV))",
                         "local ok, e = pcall(redis.call, unpack(ARGV)) return {ok, type(e), e}",
                         "redis.call('SET', 'a', #ARGV)\nlocal r = "
                         "redis.call(unpack(ARGV))\nredis.call('SET', 'b', 1)\nreturn r",
                         "local r = redis.pcall(unpack(ARGV)) if type(r) == 'table' then return r.err or "
                         "r.ok or #r end return r"};
  for (int i = 0; i < 10'000; ++i) {
    const Words inner = dice.one_in(2) ? sound_command(dice) : strange_command(dice);
    const std::string name = lowered(inner[0]);
    if (depends_on_server(inner) || name == "hgetall") continue;
    Words words{"EVAL", one_of(dice, scripts), "0"};
    words.insert(words.end(), inner.begin(), inner.end());
    ASSERT_NO_FATAL_FAILURE(step(words));
  }
  EXPECT_GT(answers_, 2'000);
  EXPECT_GT(errors_, 2'000);
}

/// An expression of Lua.
std::string random_value(Dice& dice, int depth) {
  static const Words values_to_draw = {"1",
                                       "-1",
                                       "2.9",
                                       "-2.9",
                                       "0",
                                       "-0",
                                       "1e15",
                                       "2^53",
                                       "2^63",
                                       "-2^64",
                                       "1/0",
                                       "0/0",
                                       "'text'",
                                       "''",
                                       "'a\\r\\nb'",
                                       "'\\0'",
                                       "true",
                                       "false",
                                       "nil",
                                       "KEYS[1]",
                                       "ARGV[1]",
                                       "ARGV[9]",
                                       "#ARGV",
                                       "redis.error_reply('E x')",
                                       "redis.error_reply('boo')",
                                       "redis.status_reply('fine')",
                                       "{err='A b'}",
                                       "{ok='c'}",
                                       "{ok=1}",
                                       "{err=false}",
                                       "tostring(1e100)",
                                       "tonumber('0x10')",
                                       "tonumber('x')",
                                       "string.format('%.0f', 2^53)",
                                       "string.format('%d', 3.99)",
                                       "redis.sha1hex('abc')",
                                       "select('#', 1, nil)",
                                       "type(print_it)",
                                       "redis.call('GET', 'none')",
                                       "redis.call('HMGET', 'none', 'a', 'b')",
                                       "redis.call('TYPE', 'none')",
                                       "math.floor(-1.5)",
                                       "{1, 2, nil, 4}",
                                       "string.rep('ab', 3)",
                                       "('x'):upper()",
                                       "table.concat({1, 2}, ' ')",
                                       "nothing.at.all",
                                       "1 + {}",
                                       "error('raised')",
                                       "error({err = 'R raised'})",
                                       "#nil",
                                       "unknown()",
                                       "string.match('a1b22', '%d+$')",
                                       "math.max(1, 2^53)",
                                       "9007199254740991 + 0",
                                       "string.find('abc', 'b')"};
  if (depth == 0 || dice.one_in(2)) return one_of(dice, values_to_draw);
  std::string text = "{";
  for (std::int64_t n = dice.between(0, 4); n > 0; --n) text += random_value(dice, depth - 1) + ", ";
  return text + "}";
}

TEST_F(RedisAgrees, OnWhatScriptsReturn) {
  Dice dice(3);
  for (int i = 0; i < 10'000; ++i) {
    const std::string script = dice.one_in(20) ? random_value(dice, 1) : "return " + random_value(dice, 3);
    ASSERT_NO_FATAL_FAILURE(step({"EVAL", script, "1", "key", "argument", random_word(dice)}));
  }
  EXPECT_GT(answers_, 4'000);
  EXPECT_GT(errors_, 400);
}

}  // namespace
}  // namespace sluice::sim::testing
