// Aim: replies of both versions become the right values, within bounds, and only once they are whole.
// Method: each type against its value, every shorter prefix must be incomplete; a table of malformed replies.
#include "wire/resp/reply_parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "unit/wire/resp_feed.h"
#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {
namespace {

using Kind = Value::Kind;
using namespace std::string_literals;

/// Reads `bytes`, which must be one reply; its every prefix must be incomplete.
Value read(std::string_view bytes) {
  Value value;
  std::size_t consumed = 0;
  std::string error;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const ExactCopy prefix(bytes.substr(0, size));
    EXPECT_EQ(parse_reply(prefix.view(), {}, value, consumed, error), ParseStatus::incomplete)
        << bytes << size;
  }
  const ExactCopy whole(std::string(bytes).append(":1"));
  EXPECT_EQ(parse_reply(whole.view(), {}, value, consumed, error), ParseStatus::complete) << bytes << error;
  EXPECT_EQ(consumed, bytes.size());
  return value;
}

std::string refused(std::string_view bytes, const ReplyBounds& bounds = {}) {
  const ExactCopy copy(bytes);
  Value value;
  std::size_t consumed = 0;
  std::string error;
  EXPECT_EQ(parse_reply(copy.view(), bounds, value, consumed, error), ParseStatus::malformed) << bytes;
  EXPECT_TRUE(error.starts_with("Protocol error: ")) << error;
  return error.substr(error.find(": ") + 2);
}

void expect_text(std::string_view bytes, Kind kind, std::string_view text) {
  const Value value = read(bytes);
  EXPECT_EQ(value.kind, kind) << bytes;
  EXPECT_EQ(value.text, text) << bytes;
}

void expect_integer(std::string_view bytes, Kind kind, std::int64_t integer) {
  const Value value = read(bytes);
  EXPECT_EQ(value.kind, kind) << bytes;
  EXPECT_EQ(value.integer, integer) << bytes;
}

TEST(RespReplyParser, texts) {
  expect_text("+OK\r\n", Kind::simple, "OK");
  expect_text("+\r\n", Kind::simple, "");
  expect_text("-ERR no such thing\r\n", Kind::error, "ERR no such thing");
  expect_text("$0\r\n\r\n", Kind::bulk, "");
  expect_text("$5\r\na\r\n\0b\r\n"s, Kind::bulk, "a\r\n\0b"s);
  expect_text("!7\r\nERR a\r\n\r\n", Kind::error, "ERR a\r\n");
  expect_text("=6\r\ntxt:ab\r\n", Kind::bulk, "ab");
  expect_text("(-123456789012345678901234567890\r\n", Kind::bulk, "-123456789012345678901234567890");
}

TEST(RespReplyParser, integers_booleans_and_nulls) {
  expect_integer(":42\r\n", Kind::integer, 42);
  expect_integer(":+42\r\n", Kind::integer, 42);
  expect_integer(":-9223372036854775808\r\n", Kind::integer, std::numeric_limits<std::int64_t>::min());
  expect_integer("#t\r\n", Kind::boolean, 1);
  expect_integer("#f\r\n", Kind::boolean, 0);
  expect_integer("_\r\n", Kind::null, 0);
  expect_integer("$-1\r\n", Kind::null, 0);
  expect_integer("*-1\r\n", Kind::null, 0);
}

TEST(RespReplyParser, numbers) {
  EXPECT_EQ(read(",1.5\r\n").number, 1.5);
  EXPECT_EQ(read(",-10\r\n").number, -10);
  EXPECT_EQ(read(",+2e-3\r\n").number, 0.002);
  EXPECT_EQ(read(",inf\r\n").number, std::numeric_limits<double>::infinity());
  EXPECT_EQ(read(",-inf\r\n").number, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(read(",nan\r\n").number));
  EXPECT_EQ(read(",nan\r\n").kind, Kind::number);
}

TEST(RespReplyParser, aggregates) {
  for (const std::string_view bytes :
       {"*2\r\n:1\r\n$1\r\na\r\n", "~2\r\n:1\r\n$1\r\na\r\n", ">2\r\n:1\r\n$1\r\na\r\n"}) {
    const Value value = read(bytes);
    EXPECT_EQ(value.kind, Kind::array);
    ASSERT_EQ(value.items.size(), 2U);
    EXPECT_EQ(value.items[0].integer, 1);
    EXPECT_EQ(value.items[1].text, "a");
  }
  EXPECT_EQ(read("*0\r\n").kind, Kind::array);
  const Value nested = read("*2\r\n*1\r\n%1\r\n+k\r\n*0\r\n*-1\r\n");
  ASSERT_EQ(nested.items.size(), 2U);
  EXPECT_EQ(nested.items[0].items.at(0).items.at(1).kind, Kind::array);
  EXPECT_EQ(nested.items[1].kind, Kind::null);
}

TEST(RespReplyParser, map_is_found_by_key) {
  const Value map = read("%3\r\n$7\r\nallowed\r\n#t\r\n+limit\r\n:100\r\n:7\r\n+seven\r\n");
  EXPECT_EQ(map.kind, Kind::map);
  ASSERT_EQ(map.items.size(), 6U);
  ASSERT_NE(map.find("allowed"), nullptr);
  EXPECT_EQ(map.find("allowed")->integer, 1);
  ASSERT_NE(map.find("limit"), nullptr);
  EXPECT_EQ(map.find("limit")->integer, 100);
  EXPECT_EQ(map.find("seven"), nullptr);
  EXPECT_EQ(map.find(""), nullptr);
  EXPECT_EQ(read("*2\r\n+limit\r\n:100\r\n").find("limit"), nullptr);
}

TEST(RespReplyParser, attributes_are_dropped) {
  expect_integer("|1\r\n+ttl\r\n:3600\r\n:5\r\n", Kind::integer, 5);
  expect_integer("|0\r\n|1\r\n+a\r\n*1\r\n|0\r\n_\r\n:5\r\n", Kind::integer, 5);
  const Value array = read("*2\r\n|1\r\n+a\r\n+b\r\n:1\r\n:2\r\n");
  ASSERT_EQ(array.items.size(), 2U);
  EXPECT_EQ(array.items[0].integer, 1);
}

TEST(RespReplyParser, malformed) {
  EXPECT_EQ(refused("x"), "unknown type 'x' at byte 0");
  EXPECT_EQ(refused("\r\n"), "unknown type '\\x0d' at byte 0");
  EXPECT_EQ(refused("*2\r\n:1\r\n?"), "unknown type '?' at byte 8");
  EXPECT_EQ(refused(":\r\n"), "invalid ':' at byte 0");
  EXPECT_EQ(refused(":1x\r\n"), "invalid ':1x' at byte 0");
  EXPECT_EQ(refused(":+-1\r\n"), "invalid ':+-1' at byte 0");
  EXPECT_EQ(refused(":9223372036854775808\r\n"), "invalid ':9223372036854775808' at byte 0");
  EXPECT_EQ(refused(":123456789012345678901"), "line exceeds 20 bytes at byte 0");
  EXPECT_EQ(refused("#x\r\n"), "invalid '#x' at byte 0");
  EXPECT_EQ(refused("_x\r\n"), "invalid '_x' at byte 0");
  EXPECT_EQ(refused(",0x1\r\n"), "invalid ',0x1' at byte 0");
  EXPECT_EQ(refused(",infinity\r\n"), "invalid ',infinity' at byte 0");
  EXPECT_EQ(refused(",1e999\r\n"), "invalid ',1e999' at byte 0");
  EXPECT_EQ(refused("(1.5\r\n"), "invalid '(1.5' at byte 0");
  EXPECT_EQ(refused("(-\r\n"), "invalid '(-' at byte 0");
  EXPECT_EQ(refused("+a\n"), "expected CR, got '\\x0a' at byte 2");
  EXPECT_EQ(refused("+a\rb"), "expected LF, got 'b' at byte 3");
  EXPECT_EQ(refused("$?\r\n"), "invalid length '?' at byte 0");
  EXPECT_EQ(refused("$-2\r\n"), "invalid length '-2' at byte 0");
  EXPECT_EQ(refused("$1\r\nab"), "expected CR, got 'b' at byte 5");
  EXPECT_EQ(refused("!-1\r\n"), "negative length at byte 0");
  EXPECT_EQ(refused("%-1\r\n"), "negative length at byte 0");
  EXPECT_EQ(refused("=3\r\nabc\r\n"), "verbatim string without format at byte 0");
}

TEST(RespReplyParser, bounds_are_checked_on_what_is_announced) {
  EXPECT_EQ(refused("$9223372036854775807\r\n"),
            "string length 9223372036854775807 exceeds a reply of 1048576 bytes at byte 0");
  EXPECT_EQ(refused("*9223372036854775807\r\n"),
            "length 9223372036854775807 of '*' exceeds 4096 items at byte 0");
  EXPECT_EQ(refused("%2049\r\n"), "length 2049 of '%' exceeds 4096 items at byte 0");
  EXPECT_EQ(refused("*1\r\n|4000000000\r\n"), "length 4000000000 of '|' exceeds 4096 items at byte 4");
}

TEST(RespReplyParser, bounds_are_exact) {
  const ReplyBounds bounds{.max_bytes = 12, .max_items = 2, .max_depth = 2};
  Value value;
  std::size_t consumed = 0;
  std::string error;
  EXPECT_EQ(parse_reply("$6\r\nabcdef\r\n", bounds, value, consumed, error), ParseStatus::complete);
  EXPECT_EQ(refused("$7\r\n", bounds), "string length 7 exceeds a reply of 12 bytes at byte 0");
  EXPECT_EQ(parse_reply("+abcdefghi\r\n", bounds, value, consumed, error), ParseStatus::complete);
  EXPECT_EQ(parse_reply("+abcdefghij", bounds, value, consumed, error), ParseStatus::incomplete);
  EXPECT_EQ(refused("+abcdefghijk", bounds), "reply exceeds 12 bytes at byte 12");
  EXPECT_EQ(parse_reply("*1\r\n*1\r\n_\r\n", bounds, value, consumed, error), ParseStatus::complete);
  EXPECT_EQ(refused("*1\r\n*1\r\n*0\r\n", bounds), "nested deeper than 2 at byte 8");
  EXPECT_EQ(refused("*1\r\n*1\r\n|0\r\n", bounds), "nested deeper than 2 at byte 8");
  EXPECT_EQ(refused("*3\r\n", bounds), "length 3 of '*' exceeds 2 items at byte 0");
  EXPECT_EQ(parse_reply("%1\r\n_\r\n_\r\n", bounds, value, consumed, error), ParseStatus::complete);
}

TEST(RespReplyParser, depth_of_hostile_nesting_is_bounded) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += "*1\r\n";
  EXPECT_EQ(refused(bytes), "nested deeper than 8 at byte 32");
}

TEST(RespReplyParser, a_long_run_of_attributes_needs_no_stack) {
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes += "|0\r\n";
  bytes += ":5\r\n";
  Value value;
  std::size_t consumed = 0;
  std::string error;
  EXPECT_EQ(parse_reply(bytes, {}, value, consumed, error), ParseStatus::complete);
  EXPECT_EQ(value.integer, 5);
}

TEST(RespReplyParser, append_command_writes_an_array_of_bulks) {
  std::string out = "x";
  append_command(out, {"CHECK", "", "a\r\nb"});
  EXPECT_EQ(out, "x*3\r\n$5\r\nCHECK\r\n$0\r\n\r\n$4\r\na\r\nb\r\n");
}

}  // namespace
}  // namespace sluice::wire::resp
