// Aim: the simulated server is a Redis. Method: it and a real redis-server are given the same thousands of
// random commands, right and wrong ones: plain, within scripts, and our own scripts with sound and strange
// arguments on virtual time; every answer, error texts included, and every value afterwards must be the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "property/limiter/walk.h"
#include "property/store/operations.h"
#include "sim/redis/both_servers.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"

namespace sluice::sim::testing {
namespace {

using limiter::testing::Dice;
using store::redis::Arguments;
using store::redis::CallContext;
using store::redis::Script;
using store::redis::testing::Asked;
using store::redis::testing::Sequence;
using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += "'" + (word.size() > 200 ? "(script)" : word) + "' ";
  return text;
}

template <class T>
const T& one_of(Dice& dice, const std::vector<T>& choices) {
  return choices[static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(choices.size()) - 1))];
}

class RedisAgrees : public ::testing::Test {
 protected:
  /// Compares the answers, and then what is under the keys.
  void step(const Words& words, bool sorts_answer = false) {
    auto answers = both_.ask(words);
    if (sorts_answer) {
      sort_pairs(answers.real);
      sort_pairs(answers.simulated);
    }
    ASSERT_EQ(shown(answers.simulated), shown(answers.real)) << joined(words);
    ++(answers.real.kind == store::redis::Reply::Kind::error ? errors_ : answers_);
    ASSERT_NO_FATAL_FAILURE(compare_contents(words));
  }

  void compare_contents(const Words& words) {
    const auto real = both_.real_contents(keys_);
    const auto simulated = both_.simulated_contents(keys_);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      ASSERT_EQ(simulated.values[i], real.values[i]) << keys_[i] << " after " << joined(words);
      if (real.lives[i] < 0) {
        ASSERT_EQ(simulated.lives[i], real.lives[i]) << keys_[i] << " after " << joined(words);
      } else {
        ASSERT_LE(std::llabs(simulated.lives[i] - real.lives[i]), 1000)
            << keys_[i] << " after " << joined(words);
      }
    }
  }

  static void sort_pairs(store::redis::Reply& reply) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2)
      texts.push_back(reply.items[i].text + "=" + reply.items[i + 1].text);
    std::ranges::sort(texts);
    if (reply.kind != store::redis::Reply::Kind::array) return;
    reply.items.clear();
    for (std::string& text : texts) reply.items.push_back({.kind = reply.kind, .text = text});
  }

  BothServers both_;
  Words keys_ = {"a", "b", "h", "i"};
  std::uint64_t answers_ = 0;
  std::uint64_t errors_ = 0;
};

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

// Our scripts.

/// Without a clock of the server, so that both compute with the caller's; and the expiry, which is looked at
/// in the same moment, taken away, so that nothing depends on how fast the test is.
std::string on_virtual_time(std::string_view source) {
  return "local real = redis\nlocal function without_clock(carry_out) return function(command, ...)\n"
         "  if command == 'TIME' then return real.error_reply('ERR no clock') end\n"
         "  return carry_out(command, ...)\nend end\n"
         "local redis = {call = without_clock(real.call), pcall = without_clock(real.pcall), "
         "error_reply = real.error_reply}\nlocal function script()\n" +
         std::string(source) +
         "\nend\nlocal answer = script()\nlocal lives = redis.call('PTTL', KEYS[1])\n"
         "redis.call('PERSIST', KEYS[1])\nreturn {answer, lives}";
}

std::string sorted_words(const std::string& text) {
  std::string plain = text;
  std::ranges::replace(plain, '"', ' ');
  std::istringstream in(plain);
  std::multiset<std::string> words;
  for (std::string word; in >> word;) words.insert(word);
  std::string sorted;
  for (const std::string& word : words) sorted += word + " ";
  return sorted;
}

class RedisAgreesOnOurScripts : public RedisAgrees {
 protected:
  RedisAgreesOnOurScripts() { keys_ = {"counter", "meta"}; }

  /// Ids of members come in the order of a Lua table, which depends on that of the hash: it may differ.
  void run(Script script, const Words& keys, const Arguments& arguments, bool members) {
    Words words{"EVAL", on_virtual_time(scripts_[script].source), std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), arguments.begin(), arguments.end());
    auto answers = both_.ask(words);
    std::int64_t off = 0;
    if (answers.real.items.size() == 2 && answers.simulated.items.size() == 2) {
      off = std::llabs(answers.real.items[1].integer - answers.simulated.items[1].integer);
      if (answers.real.items[1].integer >= 0) answers.simulated.items[1] = answers.real.items[1];
      for (auto* reply : {&answers.real, &answers.simulated}) {
        if (members && !reply->items[0].items.empty())
          reply->items[0].items.back().text = sorted_words(reply->items[0].items.back().text);
      }
    }
    const std::string which = std::string(scripts_[script].name) + " " + joined(arguments);
    ASSERT_EQ(shown(answers.simulated), shown(answers.real)) << which;
    ASSERT_LE(off, 1000) << which;
    ++(answers.real.kind == store::redis::Reply::Kind::error ? errors_ : answers_);
    // Then its expiry was left, which may come between the two looks.
    if (answers.real.kind == store::redis::Reply::Kind::error) both_.ask({"DEL", "counter"});
    const auto real = both_.real_contents(keys_);
    const auto simulated = both_.simulated_contents(keys_);
    ASSERT_EQ(simulated.values[0], real.values[0]) << which;
    if (members) {
      ASSERT_EQ(sorted_words(simulated.values[1]), sorted_words(real.values[1])) << which;
    } else {
      ASSERT_EQ(simulated.values[1], real.values[1]) << which;
    }
  }

  void attach(Dice& dice, std::int64_t now_us) {
    run(Script::attach, {"meta"},
        {"a1", std::to_string(now_us), std::to_string(dice.between(1, 1000)), "1", "0", ""}, true);
    context_.lineage = {.generation = 1, .run = both_.ask({"HGET", "meta", "run"}).real.text};
  }

  store::redis::Scripts scripts_;
  CallContext context_{};
};

void make_strange(Dice& dice, Arguments& arguments) {
  static const Words strange_words = {"",
                                      "0",
                                      "-1",
                                      "1",
                                      "1e5",
                                      "0x10",
                                      "nan",
                                      "inf",
                                      "-inf",
                                      "1.5",
                                      "x",
                                      "b",
                                      "f",
                                      "c",
                                      "l",
                                      "w",
                                      "q",
                                      "10 20",
                                      "10 20 30",
                                      "10 20 30 40",
                                      "-5 3",
                                      "1 0",
                                      "9007199254740991",
                                      "9007199254740992",
                                      "1e300",
                                      " 7 ",
                                      "d1a2b3c4d",
                                      "100 200 300",
                                      std::string("\0", 1)};
  for (auto n = dice.between(1, 2); n > 0 && !arguments.empty(); --n) {
    const auto at =
        static_cast<std::size_t>(dice.between(0, static_cast<std::int64_t>(arguments.size()) - 1));
    if (dice.one_in(8)) {
      arguments.resize(at);
    } else if (dice.one_in(8)) {
      arguments.push_back(one_of(dice, strange_words));
    } else {
      arguments[at] = one_of(dice, strange_words);
    }
  }
}

void spoil_counter(Dice& dice, BothServers& both) {
  const Words values = {"",
                        "b",
                        "b 1 2 3",
                        "b 5 1 10 1000000",
                        "f 0 1 5",
                        "l 5 1 2 3 0 1 2",
                        "w 1 2 3 4 5 6",
                        "b 99999999999999999 1 10 1000",
                        "c 0 5 86400 d1a2b3c4d",
                        "x 1 2",
                        "f 1 2"};
  both.ask({"SET", "counter", one_of(dice, values)});
}

TEST_F(RedisAgreesOnOurScripts, SoundAndStrange) {
  std::uint64_t steps = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Dice dice(~seed);
    both_.ask({"FLUSHALL"});
    Sequence sequence(seed, limiter::testing::kAlgorithms[seed % 4]);
    ASSERT_NO_FATAL_FAILURE(attach(dice, 1'800'000'000'000'000)) << "seed " << seed;
    for (int i = 0; i < 16; ++i, ++steps) {
      Asked asked = sequence.next(context_.lineage);
      if (dice.one_in(6)) make_strange(dice, asked.arguments);
      if (dice.one_in(20)) spoil_counter(dice, both_);
      if (dice.one_in(40)) both_.ask({"HSET", "counter", "f", "v"});
      if (dice.one_in(40)) both_.ask({"SET", "meta", "text"});
      if (dice.one_in(8)) both_.ask({"HDEL", "meta", one_of(dice, Words{"repaired", "seq", "until"})});
      ASSERT_NO_FATAL_FAILURE(run(asked.script, {"counter", "meta"}, asked.arguments, false))
          << "seed " << seed << ", step " << i;
      if (dice.one_in(8)) both_.ask({"DEL", "counter"});
    }
  }
  EXPECT_GT(answers_, steps / 2);
  EXPECT_GT(errors_, steps / 50);
}

TEST_F(RedisAgreesOnOurScripts, Rebooking) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Dice dice(~seed);
    both_.ask({"FLUSHALL"});
    Sequence sequence(seed, limiter::testing::kAlgorithms[seed % 4]);
    ASSERT_NO_FATAL_FAILURE(attach(dice, 1'800'000'000'000'000)) << "seed " << seed;
    for (int i = 0; i < 10; ++i) {
      const Asked asked = sequence.next(context_.lineage);
      Arguments arguments(asked.arguments.begin(), asked.arguments.begin() + 7);
      for (auto n = dice.between(0, 3); n > 0; --n) {
        arguments.push_back(std::to_string(dice.magnitude(limiter::kMaxInteger)));
        arguments.push_back(dice.one_in(2) ? "" : std::to_string(dice.magnitude(limiter::kMaxInteger)));
      }
      ASSERT_NO_FATAL_FAILURE(run(asked.script, {"counter", "meta"}, asked.arguments, false));
      if (dice.one_in(5)) make_strange(dice, arguments);
      ASSERT_NO_FATAL_FAILURE(run(Script::rebook, {"counter", "meta"}, arguments, false))
          << "seed " << seed << ", step " << i;
    }
  }
}

TEST_F(RedisAgreesOnOurScripts, Members) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Dice dice(seed);
    both_.ask({"FLUSHALL"});
    std::int64_t now_us = 1'800'000'000'000'000;
    const auto id = [&dice] {
      return one_of(dice,
                    Words{"a1", "b2", "c3", "d4", "e5", "0123456789abcdef", "fedcba9876543210", "xyz", ""});
    };
    for (int i = 0; i < 25; ++i) {
      now_us += dice.magnitude(700'000'000);
      const std::string now = std::to_string(now_us);
      Arguments arguments;
      const bool attaches = dice.one_in(2);
      if (attaches) {
        arguments = {id(),
                     now,
                     "nonce" + std::to_string(dice.between(0, 2)),
                     std::to_string(dice.between(0, 1)),
                     std::to_string(dice.magnitude(10'000'000)),
                     id() + " " + id()};
      } else {
        arguments = {id(), now, both_.ask({"HGET", "meta", "gen"}).real.text,
                     both_.ask({"HGET", "meta", "run"}).real.text, std::to_string(dice.between(0, 1))};
      }
      if (dice.one_in(10)) make_strange(dice, arguments);
      if (dice.one_in(10))
        both_.ask({"HSET", "meta", "m:" + id(), one_of(dice, Words{"x", "1 2", "5 1800000000"})});
      if (dice.one_in(15)) both_.ask({"HSET", "meta", "run", "another"});
      ASSERT_NO_FATAL_FAILURE(run(attaches ? Script::attach : Script::announce, {"meta"}, arguments, true))
          << "seed " << seed << ", step " << i;
    }
  }
  EXPECT_GT(answers_, 2'000);
}

TEST_F(RedisAgreesOnOurScripts, OnTheServersTime) {
  // Both read their own clock, microseconds apart: what a window of ten years has left does not depend on it.
  Dice dice(5);
  const auto ask = [this](Script script, const Words& keys, const Arguments& arguments) {
    Words words{"EVAL", std::string(scripts_[script].source), std::to_string(keys.size())};
    words.insert(words.end(), keys.begin(), keys.end());
    words.insert(words.end(), arguments.begin(), arguments.end());
    return both_.ask(words);
  };
  const auto attached = ask(Script::attach, {"meta"}, {"a1", "0", "nonce", "1", "0", ""});
  ASSERT_EQ(attached.real.items.size(), 9);
  ASSERT_EQ(attached.simulated.items.size(), 9);
  for (const std::size_t same : {0UL, 1UL, 2UL, 4UL, 5UL, 6UL, 7UL, 8UL})
    EXPECT_EQ(shown(attached.simulated.items[same]), shown(attached.real.items[same]));
  const std::string run = attached.real.items[1].text;
  constexpr std::size_t kComparable = 5;  // status, needs, extra, remaining, and a window that waits
  for (int i = 0; i < 2'000; ++i) {
    Arguments arguments{
        "1", run, "", "f", "316224000000000", "1000000000", "", std::to_string(dice.between(0, 99))};
    Script script = Script::lease;
    if (dice.one_in(4)) {
      script = Script::give_back;
      arguments.emplace_back("");
    } else {
      arguments.push_back(std::to_string(dice.between(0, 50)));
      arguments.push_back(std::to_string(dice.between(0, 5)));
    }
    const auto answers = ask(script, {"counter", "meta"}, arguments);
    ASSERT_EQ(answers.real.items.size(), 9) << shown(answers.real);
    ASSERT_EQ(answers.simulated.items.size(), 9) << shown(answers.simulated);
    for (std::size_t k = 0; k < kComparable; ++k)
      ASSERT_EQ(shown(answers.simulated.items[k]), shown(answers.real.items[k])) << k;
    ASSERT_EQ(answers.simulated.items[8].integer, answers.real.items[8].integer);
    ASSERT_LE(std::llabs(answers.simulated.items[7].integer - answers.real.items[7].integer), 2'000'000);
    const auto real = both_.real_contents({"counter"});
    const auto simulated = both_.simulated_contents({"counter"});
    ASSERT_EQ(simulated.values, real.values);
    ASSERT_LE(std::llabs(simulated.lives[0] - real.lives[0]), 1'000);
  }
}

}  // namespace
}  // namespace sluice::sim::testing
