// Aim: each error that notes on Redis list is known by its code, also when a script's error is wrapped in
// another, and no raw key gets into a log.
//
// Method: a table of texts as servers send them.
#include "store/redis/errors.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sluice::store::redis {
namespace {

TEST(ErrorsTest, AreKnownByTheirCodes) {
  const std::vector<std::pair<std::string, ErrorKind>> cases = {
      {"NOSCRIPT No matching script. Please use EVAL.", ErrorKind::noscript},
      {"READONLY You can't write against a read only replica. script: 1, on @user_script:1.",
       ErrorKind::readonly},
      {"ERR Error running script (call to f_1): @user_script:1: -READONLY You can't write",
       ErrorKind::readonly},
      {"LOADING Redis is loading the dataset in memory", ErrorKind::loading},
      {"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
       ErrorKind::masterdown},
      {"NOREPLICAS Not enough good replicas to write.", ErrorKind::noreplicas},
      {"BUSY Redis is busy running a script. You can only call SCRIPT KILL", ErrorKind::busy},
      {"UNKILLABLE Sorry the script already executed write commands", ErrorKind::busy},
      {"OOM command not allowed when used memory > 'maxmemory'.", ErrorKind::oom},
      {"ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed", ErrorKind::oom},
      {"MISCONF Redis is configured to save RDB snapshots", ErrorKind::misconf},
      {"NOAUTH Authentication required.", ErrorKind::auth},
      {"WRONGPASS invalid username-password pair", ErrorKind::auth},
      {"NOPERM this user has no permissions to run the 'evalsha' command", ErrorKind::auth},
      {"ERR The user executing the script can't run this command or subcommand script: 1", ErrorKind::auth},
      {"WRONGTYPE Operation against a key holding the wrong kind of value", ErrorKind::wrong_type},
      {"ERR Error running script: @user_script: 1: WRONGTYPE Operation against", ErrorKind::wrong_type},
      {"SLUICEFOREIGN the value at this key is not a counter of Sluice", ErrorKind::wrong_type},
      {"MOVED 3999 127.0.0.1:6381", ErrorKind::cluster},
      {"ASK 3999 127.0.0.1:6381", ErrorKind::cluster},
      {"CLUSTERDOWN Hash slot not served", ErrorKind::cluster},
      {"CROSSSLOT Keys in request don't hash to the same slot", ErrorKind::cluster},
      {"TRYAGAIN Multiple keys request during rehashing of slot", ErrorKind::cluster},
      {"ERR max number of clients reached", ErrorKind::max_clients},
      {"ERR something else", ErrorKind::other},
      {"ERR BUSYKEY and xOOM and READONLYish are no codes", ErrorKind::other},
      {"", ErrorKind::other},
  };
  for (const auto& [text, kind] : cases) EXPECT_EQ(classify(text), kind) << text;
}

TEST(ErrorsTest, AreNamedAndCounted) {
  EXPECT_EQ(name_of(ErrorKind::noscript), "noscript");
  EXPECT_EQ(name_of(ErrorKind::wrong_type), "wrong_type");
  EXPECT_EQ(name_of(ErrorKind::other), "other");
  ErrorCounts counts;
  counts.count(ErrorKind::oom);
  counts.count(ErrorKind::oom);
  EXPECT_EQ(counts[ErrorKind::oom], 2U);
  EXPECT_EQ(counts[ErrorKind::other], 0U);
}

TEST(ErrorsTest, QuoteNoArguments) {
  EXPECT_EQ(for_people("ERR unknown command 'EVALSHA', with args beginning with: 'x' 'sluice:user=123'"),
            "ERR unknown command 'EVALSHA'");
  EXPECT_EQ(for_people("ERR a\nb"), "ERR a\\x0ab");
  EXPECT_EQ(for_people(""), "an error without a word");
  EXPECT_EQ(for_people(", with args beginning with: 'x'"), "an error without a word");
  EXPECT_LE(for_people(std::string(1000, 'x')).size(), 210U);
}

}  // namespace
}  // namespace sluice::store::redis
