// Aim: scripts meet the same Lua as in Redis 7.0: its sandbox, its conversions, its errors.
// Method: small scripts, and what a real server answered to them.
#include <gtest/gtest.h>
#include <cstddef>

#include <string>
#include <utility>
#include <vector>

#include "sim/redis/bare_server.h"

namespace sluice::sim::testing {
namespace {

class Lua : public ::testing::Test {
 protected:
  Lua() {
    server_.ask({"SET", "text", "v"});
    server_.ask({"HSET", "hash", "f", "1"});
  }
  std::string run(const std::string& script) { return server_.tell({"EVAL", script, "0"}); }
  BareServer server_;
};

TEST_F(Lua, Conversions) {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"return", "$-1\r\n"},
      {"return true", ":1\r\n"},
      {"return false", "$-1\r\n"},
      {"return 3.99", ":3\r\n"},
      {"return -3.99", ":-3\r\n"},
      {"return 2^63", ":-9223372036854775808\r\n"},
      {"return 0/0", ":-9223372036854775808\r\n"},
      {"return {1, 2.9, 'a', false, true, nil, 3}", "*5\r\n:1\r\n:2\r\n$1\r\na\r\n$-1\r\n:1\r\n"},
      {"return {ok='fine'}", "+fine\r\n"},
      {"return {err='X y'}", "-X y\r\n"},
      {"return {err=1}", "*0\r\n"},
      {"return {1, {2, {ok='x'}, {err='E z'}}}", "*2\r\n:1\r\n*3\r\n:2\r\n+x\r\n-E z\r\n"},
      {"return {double=1.5}", "$3\r\n1.5\r\n"},
      {"return function() end", "$-1\r\n"},
      {"return {ok='a\\r\\nb'}", "+a  b\r\n"},
      {"return redis.error_reply('boo')", "-ERR boo\r\n"},
      {"return redis.error_reply('-boo hu')", "-boo hu\r\n"},
      {"return redis.error_reply(1)", "-ERR wrong number or type of arguments\r\n"},
      {"return redis.status_reply('boo')", "+boo\r\n"},
      {"return redis.sha1hex('a')", "$40\r\n86f7e437faa5a7fce15d1ddcb9eaeaea377667b8\r\n"},
      {"return type(redis.call('GET', 'none'))", "$7\r\nboolean\r\n"},
      {"return redis.call('PING').ok", "$4\r\nPONG\r\n"},
      {"return redis.call('SET', 'n', 2^53 - 1) and redis.call('GET', 'n')", "$16\r\n9007199254740991\r\n"},
      {"return redis.call('SET', 'n', 0.1) and redis.call('GET', 'n')", "$19\r\n0.10000000000000001\r\n"},
      {"return redis.pcall('FOO').err", "$44\r\nERR Unknown Redis command called from script\r\n"},
      {"local ok, e = pcall(function() return redis.call('GET') end) return {ok, type(e)}",
       "*2\r\n$-1\r\n$6\r\nstring\r\n"},
  };
  for (const auto& [script, answer] : known) EXPECT_EQ(run(script), answer) << script;
}

TEST_F(Lua, Errors) {
  const std::vector<std::pair<std::string, std::string>> known = {
      {"syntax error here",
       "-ERR Error compiling script (new function): user_script:1: '=' expected near 'error'"},
      {"return redis.call('GET')",
       "-ERR Wrong number of args calling Redis command from script script: "
       "72273adc3c5955bf8543f1ad6ce893355b89617d, on @user_script:1."},
      {"return redis.call('HGET', 'text', 'b')",
       "-WRONGTYPE Operation against a key holding the wrong kind of value script: "},
      {"error('boo')",
       "-ERR user_script:1: boo script: 4c4072b2b44689260a81bb26a459f4463cfbb09e, on @user_script:1."},
      {"error({err='X y'})", "-X y script: 4fba4bac04df521d52f90e9091a962514f12c323, on @user_script:1."},
      {"return print",
       "-ERR user_script:1: Script attempted to access nonexistent global variable 'print' script: "},
      {"return os",
       "-ERR user_script:1: Script attempted to access nonexistent global variable 'os' script: "},
      {"x = 1",
       "-ERR user_script:1: Attempt to modify a readonly table script: "
       "34bce5f775de97f557a34088509c8bfe1ea17e52, on @user_script:1."},
      {"string.foo = 1", "-ERR user_script:1: Attempt to modify a readonly table script: "},
      {"redis.call = nil", "-ERR user_script:1: Attempt to modify a readonly table script: "},
      {"\n\nlocal a = nil; return a.b",
       "-ERR user_script:3: attempt to index local 'a' (a nil value) script: "},
      {"return redis.call('EVAL', 'return 1', 0)",
       "-ERR This Redis command is not allowed from script script: "},
      {"return redis.call('WAIT', 0, 0)", "-ERR This Redis command is not allowed from script script: "},
      {"return redis.call({})", "-ERR Lua redis lib command arguments must be strings or integers script: "},
  };
  for (const auto& [script, answer] : known)
    EXPECT_EQ(run(script).substr(0, answer.size()), answer) << script;
}

TEST_F(Lua, KeysAndArgumentsAreThoseOfThisRun) {
  EXPECT_EQ(server_.tell({"EVAL", "return {KEYS[1], ARGV[1], #KEYS, #ARGV}", "1", "k", "a"}),
            "*4\r\n$1\r\nk\r\n$1\r\na\r\n:1\r\n:1\r\n");
  EXPECT_EQ(run("return {#KEYS, #ARGV}"), "*2\r\n:0\r\n:0\r\n");
  EXPECT_EQ(run("KEYS[1] = 1 return KEYS[1]"), ":1\r\n");
}

TEST_F(Lua, TheOrderOfATableDependsOnItsTextsAlone) {
  const std::string script =
      "local t = {} for i = 1, 100 do t['m:' .. (i * 7919 % 1000)] = i end "
      "local o = {} for k in pairs(t) do o[#o + 1] = k end return table.concat(o, ' ')";
  const std::string order = run(script);
  std::vector<std::string> ballast;  // moves what is allocated later to other addresses
  for (int i = 0; i < 50; ++i) {
    ballast.emplace_back(static_cast<std::size_t>(1000 + 37 * i), 'x');
    BareServer other;
    EXPECT_EQ(other.tell({"EVAL", script, "0"}), order);
  }
}

}  // namespace
}  // namespace sluice::sim::testing
