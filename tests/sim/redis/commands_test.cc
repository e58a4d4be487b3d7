// Aim: a simulated server's commands answer as Redis 7.0 does, keep expiry, and replicate what they changed.
// Method: the command layer alone on a clock set by hand; what real servers answered is written down here.
// (redis_agrees_test.cc compares with a real one at large.)
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/redis/bare_server.h"
#include "sim/redis/engine.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/request.h"
#include "sim/redis/server.h"

namespace sluice::sim::testing {
namespace {

constexpr std::int64_t kMillisecond = 1000;

TEST(Commands, AValueEndsWithItsExpiryAndTheMasterSaysSo) {
  BareServer server;
  EXPECT_EQ(server.tell({"SET", "k", "v", "PX", "100"}), "+OK\r\n");
  EXPECT_EQ(server.tell({"PTTL", "k"}), ":100\r\n");
  server.now_us += 99 * kMillisecond;
  EXPECT_EQ(server.tell({"GET", "k"}), "$1\r\nv\r\n");
  ASSERT_EQ(server.stream.size(), 1);
  EXPECT_EQ(server.stream[0][0].expires_at, server.now_us / kMillisecond + 1) << "as an absolute time";
  server.now_us += kMillisecond;
  EXPECT_EQ(server.tell({"GET", "k"}), "$-1\r\n");
  ASSERT_EQ(server.stream.size(), 2);
  EXPECT_EQ(server.stream[1][0].kind, Effect::Kind::remove);
}

TEST(Commands, AReplicaHidesWhatIsExpiredAndKeepsIt) {
  BareServer server;
  server.ask({"SET", "k", "v", "PX", "100"});
  server.replica = true;
  server.now_us += 100 * kMillisecond;
  EXPECT_EQ(server.tell({"GET", "k"}), "$-1\r\n");
  EXPECT_EQ(server.tell({"EXISTS", "k"}), ":0\r\n");
  EXPECT_EQ(server.tell({"PTTL", "k"}), ":-2\r\n");
  EXPECT_EQ(server.stream.size(), 1);
  EXPECT_NE(server.engine.data().find("k"), nullptr);
  EXPECT_EQ(server.tell({"DEL", "k"}), "-READONLY You can't write against a read only replica.\r\n");
}

TEST(Commands, OneStepOfTheStreamForEachCommandThatChangedSomething) {
  BareServer server;
  server.ask({"HSET", "h", "a", "1", "b", "2"});
  server.ask({"HINCRBY", "h", "a", "5"});
  server.ask({"HDEL", "h", "nothing"});
  server.ask({"EVAL", "redis.call('SET', 'x', 1) redis.call('DEL', 'h') return redis.call('GET', 'x')", "0"});
  server.ask({"EVAL", "return 1", "0"});
  ASSERT_EQ(server.stream.size(), 3);
  EXPECT_EQ(server.stream[0].size(), 2);
  EXPECT_EQ(server.stream[1][0].value, "6") << "the result, not the increment";
  EXPECT_EQ(server.stream[2].size(), 2);
}

TEST(Commands, TheLastFieldTakesItsHashAlong) {
  BareServer server;
  server.ask({"HSET", "h", "a", "1"});
  EXPECT_EQ(server.tell({"HDEL", "h", "a", "b"}), ":1\r\n");
  EXPECT_EQ(server.tell({"EXISTS", "h"}), ":0\r\n");
}

TEST(Commands, TimeStandsStillWithinAScript) {
  BareServer server;
  EXPECT_EQ(server.tell({"EVAL", "local t = redis.call('TIME') return {t[1], t[2]}", "0"}),
            "*2\r\n$10\r\n1800000000\r\n$1\r\n0\r\n");
}

TEST(Commands, ScriptsAreForgottenButNotTheirNames) {
  BareServer server;
  const std::string sha1 = server.ask({"SCRIPT", "LOAD", "return 7"}).text;
  EXPECT_EQ(server.tell({"EVALSHA", sha1, "0"}), ":7\r\n");
  EXPECT_EQ(server.tell({"SCRIPT", "FLUSH"}), "+OK\r\n");
  EXPECT_EQ(server.tell({"EVALSHA", sha1, "0"}), "-NOSCRIPT No matching script. Please use EVAL.\r\n");
  EXPECT_EQ(server.tell({"EVAL", "return 7", "0"}), ":7\r\n");
  EXPECT_EQ(server.tell({"EVALSHA", sha1, "0"}), ":7\r\n") << "EVAL remembers";
}

TEST(Commands, Introductions) {
  BareServer server({.password = "secret"});
  EXPECT_EQ(server.tell({"PING"}), "-NOAUTH Authentication required.\r\n");
  EXPECT_EQ(server.ask({"HELLO", "2"}).text.substr(0, 12), "NOAUTH HELLO");
  EXPECT_EQ(server.tell({"HELLO", "2", "AUTH", "default", "wrong"}),
            "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
  EXPECT_EQ(server.ask({"HELLO", "3", "AUTH", "default", "secret", "SETNAME", "me"}).items.size(), 14);
  EXPECT_EQ(server.client.name, "me");
  EXPECT_EQ(server.tell({"GET", "none"}), "_\r\n");
  EXPECT_EQ(server.tell({"PING"}), "+PONG\r\n");
}

TEST(Commands, AServerBeforeRedis6) {
  BareServer server({.password = "secret", .knows_resp3 = false});
  EXPECT_EQ(server.tell({"HELLO", "2"}), "-ERR unknown command 'HELLO', with args beginning with: '2' \r\n");
  EXPECT_EQ(server.tell({"AUTH", "wrong"}), "-ERR invalid password\r\n");
  EXPECT_EQ(server.tell({"AUTH", "secret"}), "+OK\r\n");
}

TEST(Commands, WithoutAClockForScripts) {
  BareServer server({.allows_time = false});
  EXPECT_EQ(server.tell({"EVAL", "return redis.pcall('TIME').err", "0"}),
            "$49\r\nERR This Redis command is not allowed from script\r\n");
}

TEST(Commands, OutOfMemoryStopsTheFirstWriteOfAScript) {
  BareServer server;
  server.ask({"SET", "k", "v"});
  server.engine.set_trouble(RedisTrouble::oom);
  EXPECT_EQ(server.tell({"SET", "a", "b"}), "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
  EXPECT_EQ(server.ask({"EVAL", "return redis.call(\"SET\",\"a\",\"b\")", "0"}).text,
            "OOM command not allowed when used memory > 'maxmemory'. script: "
            "01b5d96aacdb2bc9e5a8be2c862e0d18d77a2037, on @user_script:1.");
  EXPECT_EQ(server.tell({"EVAL", "redis.call('DEL', 'a') return redis.pcall('SET', 'a', 'b')", "0"}),
            "+OK\r\n");
  EXPECT_EQ(server.tell({"DEL", "k"}), ":1\r\n");
}

TEST(Commands, TroublesRefuseWhatTheyShould) {
  BareServer server;
  const auto code = [&](const std::vector<std::string>& words) {
    const std::string text = server.tell(words);
    return text.substr(0, text.find(' '));
  };
  server.engine.set_trouble(RedisTrouble::loading);
  EXPECT_EQ(code({"PING"}), "-LOADING");
  EXPECT_EQ(code({"EVAL", "return 1", "0"}), "-LOADING");
  EXPECT_EQ(server.ask({"ROLE"}).items.at(0).text, "master");
  server.engine.set_trouble(RedisTrouble::busy);
  EXPECT_EQ(code({"PING"}), "-BUSY");
  EXPECT_EQ(code({"ROLE"}), "-BUSY");
  EXPECT_FALSE(server.ask({"HELLO", "2"}).is_error());
  server.engine.set_trouble(RedisTrouble::misconf);
  EXPECT_EQ(code({"PING"}), "-MISCONF");
  EXPECT_EQ(code({"SET", "a", "b"}), "-MISCONF");
  EXPECT_EQ(code({"EVAL", "return redis.call('SET', 'a', 'b')", "0"}), "-MISCONF");
  EXPECT_EQ(code({"GET", "a"}), "$-1\r\n");
  server.engine.set_trouble(RedisTrouble::noreplicas);
  EXPECT_EQ(code({"EVAL", "return redis.call('SET', 'a', 'b')", "0"}), "-NOREPLICAS");
  EXPECT_EQ(code({"PING"}), "+PONG\r\n");
  server.engine.set_trouble(RedisTrouble::readonly);
  EXPECT_EQ(code({"EVAL", "return redis.call('SET', 'a', 'b')", "0"}), "-READONLY");
  EXPECT_EQ(server.ask({"ROLE"}).items.at(0).text, "master");
  EXPECT_EQ(server.ask({"GET", "a"}).kind, Value::Kind::nil) << "nothing was written meanwhile";
}

TEST(Requests, WhatIsNoRequestIsSaidAsRedisSaysIt) {
  const auto error = [](std::string_view bytes) { return parse_request(bytes).error; };
  EXPECT_EQ(error("*1\r\n+PING\r\n"), "ERR Protocol error: expected '$', got '+'");
  EXPECT_EQ(error("*x\r\n"), "ERR Protocol error: invalid multibulk length");
  EXPECT_EQ(error("*1\r\n$x\r\n"), "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(error("*1\r\n$-1\r\n"), "ERR Protocol error: invalid bulk length");
  EXPECT_EQ(error("get \"a\r\n"), "ERR Protocol error: unbalanced quotes in request");
  EXPECT_EQ(parse_request("SET q \"a b\\x41\" 'c\\'d'\r\n").words,
            (std::vector<std::string>{"SET", "q", "a bA", "c'd"}));
}

TEST(Requests, EveryCutOfACommandIsIncomplete) {
  const std::string_view whole = "*2\r\n$3\r\nGET\r\n$2\r\na\r\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(parse_request(whole.substr(0, size)).status, Request::Status::incomplete) << size;
  const Request request = parse_request(std::string(whole) + "more");
  EXPECT_EQ(request.consumed, whole.size());
  EXPECT_EQ(request.words, (std::vector<std::string>{"GET", "a\r"}));
}

}  // namespace
}  // namespace sluice::sim::testing
