// Aim: the request parser finds the same commands however the bytes arrive, inside its bounds, in linear
// time. Method: streams with known commands are fed whole, byte by byte, in every two-way split and in random
// chunks, from buffers of exact size that move between calls.
#include "wire/resp/request_parser.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "unit/wire/resp_feed.h"
#include "wire/resp/reply_parser.h"

namespace sluice::wire::resp {
namespace {

using Words = std::vector<std::string>;
using namespace std::string_literals;

struct Case {
  std::string_view name;
  std::string bytes;
  std::vector<Words> commands;
};

std::vector<Case> cases() {
  return {
      {.name = "array",
       .bytes = "*2\r\n$5\r\nCHECK\r\n$8\r\nuser=123\r\n",
       .commands = {{"CHECK", "user=123"}}},
      {.name = "empty word", .bytes = "*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", .commands = {{"ECHO", ""}}},
      {.name = "framing in a word", .bytes = "*1\r\n$6\r\n\r\n$1\r\n\r\n", .commands = {{"\r\n$1\r\n"}}},
      {.name = "leading zeros", .bytes = "*01\r\n$0000000004\r\nPING\r\n", .commands = {{"PING"}}},
      {.name = "empty array", .bytes = "*0\r\n", .commands = {{}}},
      {.name = "null array", .bytes = "*-1\r\n*1\r\n$1\r\na\r\n", .commands = {{}, {"a"}}},
      {.name = "line", .bytes = "PING\r\n", .commands = {{"PING"}}},
      {.name = "line by LF", .bytes = "CHECK a=1\n", .commands = {{"CHECK", "a=1"}}},
      {.name = "blanks", .bytes = " \tCHECK  \t a=1\t \r\n", .commands = {{"CHECK", "a=1"}}},
      {.name = "empty lines", .bytes = "\r\n\n  \nPING\n", .commands = {{}, {}, {}, {"PING"}}},
      {.name = "quotes stay", .bytes = "a \"b c\" 'd\\n'\n", .commands = {{"a", "\"b", "c\"", "'d\\n'"}}},
      {.name = "UTF-8 in a line", .bytes = "ECHO ü€\r\n", .commands = {{"ECHO", "ü€"}}},
      {.name = "star inside a line", .bytes = "ECHO *1\r\n", .commands = {{"ECHO", "*1"}}},
      {.name = "NUL in a word", .bytes = "*1\r\n$3\r\na\0b\r\n"s, .commands = {{"a\0b"s}}},
      {.name = "mixed pipeline",
       .bytes = "PING\r\n*1\r\n$4\r\nPING\r\n\r\n*2\r\n$4\r\nECHO\r\n$2\r\nhi\r\nPING\n",
       .commands = {{"PING"}, {"PING"}, {}, {"ECHO", "hi"}, {"PING"}}},
  };
}

TEST(RespRequestParser, finds_the_same_commands_in_every_chunking) {
  std::mt19937_64 random(1);
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.name);
    const Outcome whole = feed(test.bytes, {});
    EXPECT_EQ(whole.commands, test.commands);
    EXPECT_EQ(whole.error, "");
    EXPECT_EQ(whole.broken, "");
    EXPECT_EQ(whole.left, 0U);
    EXPECT_EQ(feed(test.bytes, every_byte(test.bytes.size())), whole);
    for (std::size_t cut = 1; cut < test.bytes.size(); ++cut) {
      EXPECT_EQ(feed(test.bytes, {cut}), whole) << "cut at " << cut;
    }
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(feed(test.bytes, random_cuts(test.bytes.size(), 7, random)), whole);
    }
  }
}

TEST(RespRequestParser, waits_for_the_last_byte_of_a_command) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.name);
    const Outcome cut = feed(std::string_view(test.bytes).substr(0, test.bytes.size() - 1), {});
    EXPECT_EQ(cut.commands.size(), test.commands.size() - 1);
    EXPECT_EQ(cut.error, "");
  }
}

TEST(RespRequestParser, leaves_the_command_alone_until_it_is_complete) {
  RequestParser parser;
  Command command{"before"};
  EXPECT_EQ(parser.parse("", command), ParseStatus::incomplete);
  EXPECT_EQ(parser.parse("*1\r\n$2\r\na", command), ParseStatus::incomplete);
  EXPECT_EQ(command, Command{"before"});
  EXPECT_EQ(parser.parse("*1\r\n$2\r\nab\r\n", command), ParseStatus::complete);
  EXPECT_EQ(command, Command{"ab"});
  EXPECT_EQ(parser.consumed(), 12U);
}

TEST(RespRequestParser, gives_views_of_the_last_buffer_and_reuses_capacity) {
  RequestParser parser;
  Command command;
  command.reserve(8);
  const std::string_view* const storage = command.data();
  const std::string bytes = "*2\r\n$1\r\na\r\n$2\r\nbc\r\n";
  ASSERT_EQ(parser.parse(std::string_view(bytes).substr(0, 15), command), ParseStatus::incomplete);
  const ExactCopy moved(bytes);
  ASSERT_EQ(parser.parse(moved.view(), command), ParseStatus::complete);
  ASSERT_EQ(command.size(), 2U);
  EXPECT_EQ(command[0].data(), moved.view().data() + 8);
  EXPECT_EQ(command[1].data(), moved.view().data() + 15);
  EXPECT_EQ(command.data(), storage);
}

TEST(RespRequestParser, reads_a_pipeline_of_a_thousand) {
  std::string bytes;
  std::vector<Words> commands;
  for (int i = 0; i < 1000; ++i) {
    commands.push_back(
        {"CHECK", "user=" + std::to_string(i), std::string(static_cast<std::size_t>(i % 40), 'x')});
    append_command(bytes, {commands.back().begin(), commands.back().end()});
  }
  std::mt19937_64 random(2);
  EXPECT_EQ(feed(bytes, {}).commands, commands);
  EXPECT_EQ(feed(bytes, every_byte(bytes.size())).commands, commands);
  EXPECT_EQ(feed(bytes, random_cuts(bytes.size(), 3000, random)).commands, commands);
}

TEST(RespRequestParser, reads_64_KiB_of_all_byte_values) {
  Words words(2);
  for (std::size_t i = 0; i < 64UL * 1024; ++i) words[1] += static_cast<char>(i * 7 + i / 256);
  std::string bytes;
  append_command(bytes, {words.begin(), words.end()});
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) {
    const Outcome outcome =
        feed(bytes, random_cuts(bytes.size(), 1000UL << static_cast<unsigned>(i % 8), random));
    ASSERT_EQ(outcome.commands, std::vector<Words>{words});
  }
}

TEST(RespRequestParser, accepts_what_exactly_fills_a_bound) {
  const RequestBounds bounds{
      .max_args = 3, .max_arg_bytes = 5, .max_command_bytes = 26, .max_inline_bytes = 9};
  EXPECT_EQ(feed("*3\r\n$1\r\na\r\n$1\r\nb\r\n$2\r\ncc\r\n", {}, bounds).commands,
            (std::vector<Words>{{"a", "b", "cc"}}));
  EXPECT_EQ(feed("*3\r\n$1\r\na\r\n$1\r\nb\r\n$3\r\nccc\r\n", {}, bounds).error,
            "Protocol error: command exceeds 26 bytes at byte 18");
  EXPECT_EQ(feed("*1\r\n$5\r\naaaaa\r\n", {}, bounds).commands, (std::vector<Words>{{"aaaaa"}}));
  EXPECT_EQ(feed("a b cdef\n", {}, bounds).commands, (std::vector<Words>{{"a", "b", "cdef"}}));
  EXPECT_EQ(feed("a b cde\r\n", every_byte(9), bounds).commands, (std::vector<Words>{{"a", "b", "cde"}}));
}

// 256 KiB in two shapes that differ in where a careless parser would start again: one long word, and many
// short ones. Each byte is looked at a bounded number of times although every call brings just one.
TEST(RespRequestParser, inspects_a_bounded_number_of_bytes_per_byte_fed) {
  constexpr std::size_t kSize = 256UL * 1024;
  const RequestBounds bounds{.max_args = kSize, .max_arg_bytes = kSize, .max_command_bytes = 16 * kSize};
  std::string one;
  append_command(one, {"CHECK", std::string(kSize, 'v')});
  std::string many;
  append_command(many, std::vector<std::string_view>(kSize / 16, "123456789"));
  for (const std::string& bytes : {one, many}) {
    RequestParser parser(bounds);
    Command command;
    for (std::size_t size = 1; size < bytes.size(); ++size) {
      ASSERT_EQ(parser.parse(std::string_view(bytes).substr(0, size), command), ParseStatus::incomplete);
    }
    ASSERT_EQ(parser.parse(bytes, command), ParseStatus::complete);
    EXPECT_LE(parser.inspected(), 3 * bytes.size());
  }
}

TEST(RespRequestParser, inspects_a_long_line_in_linear_time) {
  constexpr std::size_t kSize = 256UL * 1024;
  const std::string line = "ECHO " + std::string(kSize, 'v') + "\r\n";
  RequestParser parser({.max_inline_bytes = 2 * kSize});
  Command command;
  for (std::size_t size = 1; size < line.size(); ++size) {
    ASSERT_EQ(parser.parse(std::string_view(line).substr(0, size), command), ParseStatus::incomplete);
  }
  ASSERT_EQ(parser.parse(line, command), ParseStatus::complete);
  EXPECT_GE(parser.inspected(), line.size());
  EXPECT_LE(parser.inspected(), 3 * line.size());
}

}  // namespace
}  // namespace sluice::wire::resp
