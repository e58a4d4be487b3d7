// Aim: the small parts of a connection: commands as bytes, and the order of what is in flight.
//
// Method: tables.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "store/redis/command.h"
#include "store/redis/pipeline.h"

namespace sluice::store::redis {
namespace {

using Tags = std::vector<std::uint64_t>;

TEST(CommandTest, IsAppendedAsAnArrayOfStrings) {
  std::string bytes = "before";
  const std::vector<std::string_view> arguments = {"GET", std::string_view("a\0\r\n", 4), "", {}};
  append_command(bytes, arguments);
  EXPECT_EQ(bytes, std::string("before*4\r\n$3\r\nGET\r\n$4\r\na\0\r\n\r\n$0\r\n\r\n$0\r\n\r\n", 41));
}

TEST(PipelineTest, ExpiresFromTheFrontAndKeepsThePlaces) {
  const Instant start{std::chrono::seconds{1}};
  const Duration step = std::chrono::milliseconds{1};
  Pipeline pipeline;
  EXPECT_FALSE(pipeline.answered().has_value());
  EXPECT_FALSE(pipeline.next_deadline().has_value());
  for (int i = 1; i <= 5; ++i) pipeline.sent(static_cast<std::uint64_t>(i), start + step * i);
  EXPECT_EQ(pipeline.expire(start), Tags{});
  EXPECT_EQ(pipeline.expire(start + step * 2), (Tags{1, 2}));
  EXPECT_EQ(pipeline.expire(start + step * 2), Tags{});
  EXPECT_EQ(pipeline.next_deadline(), start + step * 3);
  EXPECT_EQ(pipeline.size(), 5U);
  EXPECT_FALSE(pipeline.answered().value().tag.has_value());
  EXPECT_FALSE(pipeline.answered().value().tag.has_value());
  EXPECT_EQ(pipeline.answered().value().tag, 3U);
  EXPECT_EQ(pipeline.expire(start + step * 4), Tags{4});
  EXPECT_EQ(pipeline.abandon(), Tags{5});
  EXPECT_EQ(pipeline.size(), 0U);
  EXPECT_FALSE(pipeline.answered().has_value());
}

}  // namespace
}  // namespace sluice::store::redis
