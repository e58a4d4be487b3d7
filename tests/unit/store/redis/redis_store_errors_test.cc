// Aim: of every error that a server may answer with, what becomes of the request, of the connection and of
// the next request. Method: a table, one row an error, each on a store that serves.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "store/redis/errors.h"
#include "store/store.h"
#include "unit/store/redis/redis_store_fixture.h"

namespace sluice::store::redis {
namespace {

enum class Then : std::uint8_t {
  serves,     ///< the next request goes out on the same connection
  reconnects  ///< whoever answers next may be the master
};

struct Row {
  std::string error;
  StoreError outcome = StoreError::unavailable;
  Then then = Then::serves;
};

TEST_F(RedisStoreTest, EveryErrorMeansSomething) {
  const std::vector<Row> rows = {
      {.error = "READONLY You can't write against a read only replica.", .then = Then::reconnects},
      {.error = "ERR Error running script: @user_script:1: -READONLY You can't write",
       .then = Then::reconnects},
      {.error = "MASTERDOWN Link with MASTER is down", .then = Then::reconnects},
      {.error = "LOADING Redis is loading the dataset in memory"},
      {.error = "NOREPLICAS Not enough good replicas to write."},
      {.error = "BUSY Redis is busy running a script."},
      {.error = "UNKILLABLE Sorry the script already executed write commands"},
      {.error = "OOM command not allowed when used memory > 'maxmemory'."},
      {.error = "MISCONF Redis is configured to save RDB snapshots"},
      {.error = "NOAUTH Authentication required."},
      {.error = "NOPERM this user has no permissions to run the 'evalsha' command"},
      {.error = "ERR The user executing the script can't run this command"},
      {.error = "MOVED 3999 127.0.0.1:6381"},
      {.error = "ASK 3999 127.0.0.1:6381"},
      {.error = "TRYAGAIN Multiple keys request during rehashing of slot"},
      {.error = "CLUSTERDOWN Hash slot not served"},
      {.error = "CROSSSLOT Keys in request don't hash to the same slot"},
      {.error = "EXECABORT Transaction discarded"},
      {.error = "ERR max number of clients reached"},
      {.error = "WRONGTYPE Operation against a key holding the wrong kind of value",
       .outcome = StoreError::foreign},
      {.error = "SLUICEFOREIGN the value at this key is not a counter of Sluice",
       .outcome = StoreError::foreign},
  };
  serve();
  std::uint64_t tag = 1;
  for (const Row& row : rows) {
    ASSERT_FALSE(lease(tag).has_value()) << row.error;
    ASSERT_EQ(heard().size(), 1U);
    say("-" + row.error + "\r\n");
    EXPECT_EQ(error_of(tag), row.outcome) << row.error;
    EXPECT_TRUE(heard().empty()) << "nothing is repeated: " << row.error;
    EXPECT_EQ(store->serving(), row.then == Then::serves) << row.error;
    if (row.then == Then::reconnects) {
      reconnect();
      static_cast<void>(heard());
      say(attached(1, "run"));
    }
    // Well again: what counts as trouble in a row begins anew.
    ASSERT_FALSE(lease(tag + 1).has_value()) << row.error;
    static_cast<void>(heard());
    say(answer(kDone, 6));
    EXPECT_EQ(error_of(tag + 1), std::nullopt) << row.error;
    tag += 2;
  }
  EXPECT_EQ(store->counters().lost, 0U);
}

}  // namespace
}  // namespace sluice::store::redis
