// Aim: our own scripts do on the simulated server what they do on a Redis. Method: both are given the same
// thousands of calls, with sound and strange arguments, on virtual time.
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
#include "sim/redis/redis_agrees.h"
#include "store/redis/reply.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"

namespace sluice::sim::testing {
namespace {

using store::redis::Arguments;
using store::redis::CallContext;
using store::redis::Script;
using store::redis::testing::Asked;
using store::redis::testing::Sequence;

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
        if (!members) continue;
        for (auto& item : reply->items[0].items) item.text = sorted_words(item.text);
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
  ASSERT_EQ(attached.real.items.size(), 10);
  ASSERT_EQ(attached.simulated.items.size(), 10);
  for (const std::size_t same : {0UL, 1UL, 2UL, 4UL, 5UL, 6UL, 7UL, 8UL, 9UL})
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
