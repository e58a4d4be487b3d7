// Aim: attaching and announcing say what scripts/attach.lua and announce.lua name, and only what these can
// answer is taken for an answer. Method: as in script_codec_test.cc.
#include "store/redis/attach_codec.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "store/redis/lineage.h"
#include "store/redis/reply.h"
#include "unit/limiter/limits.h"

namespace sluice::store::redis {
namespace {

using limiter::testing::kDay;

Reply integer(std::int64_t n) {
  return {.kind = Reply::Kind::integer, .integer = n};
}

Reply string(std::string text) {
  return {.kind = Reply::Kind::string, .text = std::move(text)};
}

Reply array(std::vector<Reply> items) {
  return {.kind = Reply::Kind::array, .items = std::move(items)};
}

Reply attach_answer() {
  return array({integer(3), string("abc.n"), integer(12), integer(1'768'435'200'000'000),
                string("2 old 0\n3 abc.n 12"), integer(1), integer(0), integer(2), string("b2 a1"),
                integer(1'500'000)});
}

TEST(AttachCodec, AttachingSaysWhoAsks) {
  const std::vector<std::string> members{"a1", "b2"};
  EXPECT_EQ(encode_attach({.self = "a1",
                           .client_time = kDay,
                           .nonce = "n",
                           .nothing_to_lose = true,
                           .repair_timeout = std::chrono::seconds{5},
                           .members = members}),
            (Arguments{"a1", "1768435200000000", "n", "1", "5000000", "a1 b2"}));
  EXPECT_EQ(encode_attach({.self = "a1"}).at(3), "0");
  EXPECT_EQ(encode_attach({.self = "a1"}).at(5), "");
}

TEST(AttachCodec, AnnouncingNamesTheHistory) {
  const Lineage lineage{.generation = 3, .run = "abc.n"};
  EXPECT_EQ(encode_announce(lineage, "a1", kDay, Announcement::alive),
            (Arguments{"a1", "1768435200000000", "3", "abc.n", "0"}));
  EXPECT_EQ(encode_announce(lineage, "a1", kDay, Announcement::leaving).at(4), "1");
}

TEST(AttachCodec, AttachingTellsTheHistoriesAndTheMembers) {
  const auto attached = decode_attach(attach_answer());
  ASSERT_TRUE(attached);
  EXPECT_EQ(attached->lineage, (Lineage{.generation = 3, .run = "abc.n"}));
  EXPECT_EQ(attached->seq, 12);
  EXPECT_EQ(attached->server_time, kDay);
  EXPECT_EQ(attached->lines,
            (std::vector<LineageLine>{{.lineage = {.generation = 2, .run = "old"}, .start = 0},
                                      {.lineage = {.generation = 3, .run = "abc.n"}, .start = 12}}));
  EXPECT_TRUE(attached->acknowledged);
  EXPECT_FALSE(attached->is_new);
  EXPECT_EQ(attached->replicas, 2);
  EXPECT_EQ(attached->members, (std::vector<std::string>{"a1", "b2"}));
  EXPECT_EQ(attached->age, std::chrono::milliseconds{1500});

  Reply clockless = attach_answer();
  clockless.items[3].integer = 0;
  EXPECT_FALSE(decode_attach(clockless)->server_time);
}

TEST(AttachCodec, AnythingElseIsNoAnswer) {
  for (std::size_t i = 0; i < attach_answer().items.size(); ++i) {
    Reply other_kind = attach_answer();
    other_kind.items[i].kind = Reply::Kind::nil;
    EXPECT_FALSE(decode_attach(other_kind)) << i;
  }
  const std::vector<std::pair<std::size_t, Reply>> wrong = {
      {0, integer(4)},       // not the last line's
      {1, string("xyz.n")},  // nor this
      {2, integer(-1)},      // seq
      {3, integer(-1)},      // time
      {3, integer(limiter::kMaxInteger + 1)},
      {4, string("")},
      {4, string("3 abc.n")},
      {4, string("3 abc.n -1")},
      {4, string("x\n3 abc.n 12")},
      {8, string("a1  b2")},
      {8, string("a1,b2")},
      {9, integer(-1)},
      {9, integer(limiter::kMaxInteger + 1)},
  };
  for (const auto& [at, item] : wrong) {
    Reply reply = attach_answer();
    reply.items[at] = item;
    EXPECT_FALSE(decode_attach(reply)) << at << ' ' << item.text << item.integer;
  }
  Reply fewer = attach_answer();
  fewer.items.pop_back();
  EXPECT_FALSE(decode_attach(fewer));
  EXPECT_FALSE(decode_attach(Reply{.kind = Reply::Kind::error, .text = "NOPERM"}));
}

TEST(AttachCodec, AnnouncingTellsTheMembers) {
  const auto answer = decode_announce(array({integer(0), integer(1'768'435'200'000'000), string("b2 a1")}));
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->other_lineage);
  EXPECT_EQ(answer->server_time, kDay);
  EXPECT_EQ(answer->members, (std::vector<std::string>{"a1", "b2"}));
  EXPECT_TRUE(decode_announce(array({integer(1), integer(0), string("")}))->other_lineage);
  EXPECT_FALSE(decode_announce(array({integer(2), integer(0), string("")})));
  EXPECT_FALSE(decode_announce(array({integer(0), integer(0), string("?")})));
  EXPECT_FALSE(decode_announce(array({integer(0), integer(0)})));
  EXPECT_FALSE(decode_announce(Reply{}));
}

}  // namespace
}  // namespace sluice::store::redis
