// Aim: replies have exactly the bytes of the connection's version, and no text can forge a second reply.
// Method: each form against its bytes, then random trees of values through writer and reply parser.
#include "wire/resp/reply_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string written(Version version, const std::function<void(ReplyWriter&)>& write) {
  std::string out = "kept";
  ReplyWriter writer(out, version);
  write(writer);
  EXPECT_TRUE(out.starts_with("kept"));
  return out.substr(4);
}

void expect_bytes(std::string_view resp2, std::string_view resp3,
                  const std::function<void(ReplyWriter&)>& write) {
  EXPECT_EQ(written(Version::resp2, write), resp2);
  EXPECT_EQ(written(Version::resp3, write), resp3);
}

TEST(RespReplyWriter, forms_of_both_versions) {
  expect_bytes("+OK\r\n", "+OK\r\n", [](ReplyWriter& w) { w.simple("OK"); });
  expect_bytes("+\r\n", "+\r\n", [](ReplyWriter& w) { w.simple(""); });
  expect_bytes("-ERR no\r\n", "-ERR no\r\n", [](ReplyWriter& w) { w.error("ERR no"); });
  expect_bytes(":0\r\n", ":0\r\n", [](ReplyWriter& w) { w.integer(0); });
  expect_bytes(":-9223372036854775808\r\n", ":-9223372036854775808\r\n",
               [](ReplyWriter& w) { w.integer(kMin); });
  expect_bytes(":9223372036854775807\r\n", ":9223372036854775807\r\n",
               [](ReplyWriter& w) { w.integer(kMax); });
  expect_bytes("$0\r\n\r\n", "$0\r\n\r\n", [](ReplyWriter& w) { w.bulk(""); });
  expect_bytes("$4\r\na\r\nb\r\n", "$4\r\na\r\nb\r\n", [](ReplyWriter& w) { w.bulk("a\r\nb"); });
  expect_bytes(":1\r\n", "#t\r\n", [](ReplyWriter& w) { w.boolean(true); });
  expect_bytes(":0\r\n", "#f\r\n", [](ReplyWriter& w) { w.boolean(false); });
  expect_bytes("$3\r\n0.1\r\n", ",0.1\r\n", [](ReplyWriter& w) { w.number(0.1); });
  expect_bytes("$3\r\ninf\r\n", ",inf\r\n", [](ReplyWriter& w) { w.number(kInfinity); });
  expect_bytes("$4\r\n-inf\r\n", ",-inf\r\n", [](ReplyWriter& w) { w.number(-kInfinity); });
  expect_bytes("$3\r\nnan\r\n", ",nan\r\n", [](ReplyWriter& w) { w.number(-std::nan("")); });
  expect_bytes("$-1\r\n", "_\r\n", [](ReplyWriter& w) { w.null(); });
  expect_bytes("*3\r\n", "*3\r\n", [](ReplyWriter& w) { w.array(3); });
  expect_bytes("*6\r\n", "%3\r\n", [](ReplyWriter& w) { w.map(3); });
  expect_bytes("*0\r\n", "%0\r\n", [](ReplyWriter& w) { w.map(0); });
}

TEST(RespReplyWriter, line_ends_in_a_text_become_spaces) {
  expect_bytes("+a  :1  b\r\n", "+a  :1  b\r\n", [](ReplyWriter& w) { w.simple("a\r\n:1\r\nb"); });
  expect_bytes("-ERR  x \r\n", "-ERR  x \r\n", [](ReplyWriter& w) { w.error("ERR\n\rx\r"); });
}

std::string random_text(std::mt19937_64& random) {
  std::string text;
  for (std::uint64_t left = random() % 12; left > 0; --left) text += static_cast<char>(random());
  return text;
}

std::string without_line_ends(std::string text) {
  for (char& c : text) c = c == '\r' || c == '\n' ? ' ' : c;
  return text;
}

/// Writes a random value and returns what a reader of that version should see.
Value write_random(ReplyWriter& writer, Version version, std::mt19937_64& random, int depth) {
  const bool resp2 = version == Version::resp2;
  Value value;
  const std::uint64_t choice = random() % (depth < 4 ? 9 : 7);
  if (choice == 0) {
    writer.null();
  } else if (choice == 1) {
    value.kind = Value::Kind::integer;
    value.integer = static_cast<std::int64_t>(random() >> random() % 64);
    writer.integer(value.integer);
  } else if (choice == 2) {
    value.kind = resp2 ? Value::Kind::integer : Value::Kind::boolean;
    value.integer = static_cast<std::int64_t>(random() % 2);
    writer.boolean(value.integer == 1);
  } else if (choice == 3) {
    const double number = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 2000) - 1000);
    value.kind = resp2 ? Value::Kind::bulk : Value::Kind::number;
    value.number = resp2 ? 0 : number;
    writer.number(number);
    if (resp2) value.text = "?";  // compared as a number below
  } else if (choice < 7) {
    const std::string text = random_text(random);
    value.kind = choice == 4 ? Value::Kind::bulk : choice == 5 ? Value::Kind::simple : Value::Kind::error;
    value.text = choice == 4 ? text : without_line_ends(text);
    if (choice == 4) writer.bulk(text);
    if (choice == 5) writer.simple(text);
    if (choice == 6) writer.error(text);
  } else {
    const bool map = choice == 8;
    const std::size_t length = random() % 4;
    value.kind = map && !resp2 ? Value::Kind::map : Value::Kind::array;
    if (map) writer.map(length);
    if (!map) writer.array(length);
    for (std::size_t i = 0; i < (map ? length * 2 : length); ++i) {
      value.items.push_back(write_random(writer, version, random, depth + 1));
    }
  }
  return value;
}

void expect_same(const Value& read, const Value& wrote) {
  EXPECT_EQ(read.kind, wrote.kind);
  EXPECT_EQ(read.integer, wrote.integer);
  EXPECT_EQ(read.number, wrote.number);  // the shortest text reads back exactly
  if (wrote.text != "?") {
    EXPECT_EQ(read.text, wrote.text);
  }
  ASSERT_EQ(read.items.size(), wrote.items.size());
  for (std::size_t i = 0; i < read.items.size(); ++i) expect_same(read.items[i], wrote.items[i]);
}

TEST(RespReplyWriter, the_reply_parser_reads_back_what_was_written) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const Version version = i % 2 == 0 ? Version::resp2 : Version::resp3;
    std::string bytes;
    ReplyWriter writer(bytes, version);
    const Value wrote = write_random(writer, version, random, 0);
    const std::size_t size = bytes.size();
    bytes += "+next\r\n";
    Value read;
    std::size_t consumed = 0;
    std::string error;
    ASSERT_EQ(parse_reply(bytes, {}, read, consumed, error), ParseStatus::complete) << error << "\n" << bytes;
    ASSERT_EQ(consumed, size);
    expect_same(read, wrote);
  }
}

}  // namespace
}  // namespace sluice::wire::resp
