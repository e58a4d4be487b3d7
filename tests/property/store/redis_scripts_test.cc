// Aim: the Lua scripts compute what src/limiter computes, bit for bit, and keep a key exactly until it is
// full. Method: a published table, and random operations on random limits, through the scripts on a
// redis-server of the test's own and through limiter::, on virtual time (sent as the client's) and on the
// server's.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "property/limiter/walk.h"
#include "property/store/operations.h"
#include "property/store/shard.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "support/redis_server.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis::testing {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text.append(word.empty() ? "''" : word).append(1, '|');
  return text;
}

void expect_same(const Asked& asked, const ScriptAnswer& answer, std::uint64_t seq) {
  EXPECT_EQ(answer.now, asked.now);
  if (asked.outside_calendar) {
    EXPECT_EQ(answer.answered, Answered::outside_calendar);
    return;
  }
  ASSERT_EQ(answer.answered, Answered::done);
  EXPECT_EQ(answer.grant.granted_needs, asked.expected.granted_needs);
  EXPECT_EQ(answer.grant.granted_extra, asked.expected.granted_extra);
  EXPECT_EQ(answer.grant.remaining, asked.expected.remaining);
  EXPECT_EQ(answer.grant.retry_after, asked.expected.retry_after);
  EXPECT_EQ(answer.grant.reset_after, asked.expected.reset_after);
  EXPECT_EQ(answer.grant.ends_after, asked.expected.ends_after);
  EXPECT_EQ(answer.grant.granted_at, asked.now);
  EXPECT_EQ(answer.grant.seq, seq);
}

/// The script, and after it, at the same moment of the server, a look at the key's expiry, which is then
/// taken away: the server's time passes while virtual time stands still. Answers {the script's answer, PTTL}.
std::string on_virtual_time(std::string_view source) {
  return "local function script()\n" + std::string(source) +
         "\nend\nlocal answer = script()\nlocal lives_for = redis.call('PTTL', KEYS[1])\n"
         "redis.call('PERSIST', KEYS[1])\nreturn {answer, lives_for}";
}

class VirtualTime : public ::testing::Test {
 protected:
  VirtualTime() {
    shard_.attach("virtual");
    for (const Script script : {Script::lease, Script::give_back, Script::peek, Script::reset}) {
      const std::string source = on_virtual_time(shard_.scripts[script].source);
      shas_.push_back(shard_.client.ask({"SCRIPT", "LOAD", source}).text);
    }
  }

  static std::string key_of(std::size_t i) { return "key:" + std::to_string(i); }

  void append(const Asked& asked, const std::string& key) {
    std::vector<std::string> command = shard_.command(asked.script, key, asked.arguments);
    command[1] = shas_.at(static_cast<std::size_t>(asked.script) - 1);
    shard_.client.append(command);
  }

  void check(const Asked& asked, std::uint64_t seq) {
    const Reply reply = shard_.client.read();
    ASSERT_EQ(reply.items.size(), 2) << reply.text;
    const auto answer = decode_answer(reply.items[0]);
    ASSERT_TRUE(answer) << answer.error().message;
    ASSERT_NO_FATAL_FAILURE(expect_same(asked, *answer, seq));
    const std::int64_t lives_for = reply.items[1].integer;
    // -2: there is no key; -1: it has no expiry. The server's clock may pass a millisecond between the two.
    EXPECT_EQ(lives_for == -2, asked.full) << lives_for;
    if (!asked.changed) return;
    if (!asked.lives_for) {
      EXPECT_EQ(lives_for, -1);
      return;
    }
    EXPECT_LE(lives_for, *asked.lives_for);
    EXPECT_GT(lives_for, *asked.lives_for - 1'000);
    (lives_for == *asked.lives_for ? exact_ : inexact_) += 1;
  }

  /// Many keys at once, an operation of each in turn, so that the pipeline is long.
  void run(std::uint64_t first_seed, Algorithm algorithm) {
    constexpr std::uint64_t kSequences = 25'000;
    constexpr std::uint64_t kAtOnce = 500;
    std::uint64_t seq = 0;
    std::uint64_t operations = 0;
    std::vector<std::string> forget{"DEL"};
    for (std::size_t i = 0; i < kAtOnce; ++i) forget.push_back(key_of(i));
    for (std::uint64_t batch = first_seed; batch < first_seed + kSequences; batch += kAtOnce) {
      shard_.client.ask(forget);
      std::vector<Sequence> sequences;
      std::vector<std::int64_t> lengths;
      for (std::uint64_t seed = batch; seed < batch + kAtOnce; ++seed) {
        sequences.emplace_back(seed, algorithm);
        lengths.push_back(Dice(~seed).one_in(10) ? 30 : Dice(~seed).between(5, 10));
      }
      for (std::int64_t step = 0; step < 30; ++step) {
        std::vector<Asked> asked(kAtOnce);
        std::vector<std::uint64_t> seqs(kAtOnce);
        for (std::size_t i = 0; i < kAtOnce; ++i) {
          if (step >= lengths[i]) continue;
          asked[i] = sequences[i].next(shard_.context.lineage);
          if (asked[i].debited) ++seq;
          seqs[i] = seq;
          append(asked[i], key_of(i));
          ++operations;
        }
        for (std::size_t i = 0; i < kAtOnce; ++i) {
          if (step >= lengths[i]) continue;
          check(asked[i], seqs[i]);
          // Told only then: a SCOPED_TRACE would take longer than the operation.
          ASSERT_FALSE(HasFailure()) << "seed " << batch + i << ", step " << step << ": "
                                     << shard_.scripts[asked[i].script].name << ' '
                                     << joined(asked[i].arguments);
        }
      }
    }
    RecordProperty("operations", std::to_string(operations));
    // The expiry is exact: it shows as such unless the server was interrupted between the two looks.
    EXPECT_GT(exact_, 4 * inexact_);
  }

  test::RedisServer server_;
  Shard shard_{server_};
  std::vector<std::string> shas_;
  std::uint64_t exact_ = 0;
  std::uint64_t inexact_ = 0;
};

TEST_F(VirtualTime, TheThrottleTable) {
  const Limit limit = limiter::testing::bucket(1, 1s, 5);
  std::ifstream table(SLUICE_TEST_CASES "/throttle.tsv");
  ASSERT_TRUE(table) << SLUICE_TEST_CASES;
  Reference reference;
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.front() == '#') continue;
    SCOPED_TRACE(line);
    double at_s = 0;
    std::int64_t cost = 0;
    std::int64_t remaining = 0;
    double reset_s = 0;
    double retry_s = 0;
    int limited = 0;
    std::istringstream(line) >> at_s >> cost >> remaining >> reset_s >> retry_s >> limited;
    const auto exactly = [](double s) { return std::chrono::milliseconds(std::lround(s * 1000)); };

    shard_.context.client_time = limiter::testing::kDay + exactly(at_s);
    const Need need{.cost = cost, .count = 1};
    const LeaseRequest request{.key = "table", .limit = &limit, .needs = {&need, 1}};
    std::vector<std::string> command =
        shard_.command(Script::lease, "table", encode_lease(shard_.context, request));
    command[1] = shas_.front();
    const auto answer = decode_answer(shard_.client.ask(command).items.at(0));
    ASSERT_TRUE(answer);
    const Grant& grant = answer->grant;
    EXPECT_EQ(grant.granted_needs, limited == 0 ? cost : 0);
    EXPECT_EQ(grant.remaining, remaining);
    EXPECT_EQ(grant.reset_after, exactly(reset_s));
    const Duration none = limited == 0 ? Duration::zero() : kNever;
    EXPECT_EQ(grant.retry_after, retry_s < 0 ? none : Duration(exactly(retry_s)));

    const Grant in_process = reference.lease(limit, request.needs, 0, *shard_.context.client_time);
    EXPECT_EQ(grant.remaining, in_process.remaining);
    EXPECT_EQ(grant.retry_after, in_process.retry_after);
    EXPECT_EQ(grant.reset_after, in_process.reset_after);
    ++rows;
  }
  EXPECT_EQ(rows, 16);
}

TEST_F(VirtualTime, RandomSequencesThatBeginWithATokenBucket) {
  run(10'000'000, Algorithm::token_bucket);
}

TEST_F(VirtualTime, RandomSequencesThatBeginWithAFixedWindow) {
  run(20'000'000, Algorithm::fixed_window);
}

TEST_F(VirtualTime, RandomSequencesThatBeginWithASlidingLog) {
  run(30'000'000, Algorithm::sliding_window_log);
}

TEST_F(VirtualTime, RandomSequencesThatBeginWithASlidingCounter) {
  run(40'000'000, Algorithm::sliding_window_counter);
}

}  // namespace
}  // namespace sluice::store::redis::testing
