// Aim: what is not RESP, or over a bound, is refused at the first byte that shows it, with a text that names
// the fault and its place. Method: a table of inputs that end with that very byte; each must still be
// incomplete without it, and give the same text however it is cut.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "unit/wire/resp_feed.h"
#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {
namespace {

using namespace std::string_literals;

struct Case {
  std::string bytes;
  std::string_view error;  // after "Protocol error: "
};

void expect_refused(const Case& test, const RequestBounds& bounds = {}) {
  SCOPED_TRACE(test.bytes.substr(0, 60));
  const Outcome whole = feed(test.bytes, {}, bounds);
  EXPECT_EQ(whole.error, "Protocol error: " + std::string(test.error));
  EXPECT_EQ(whole.broken, "");
  EXPECT_EQ(feed(test.bytes, every_byte(test.bytes.size()), bounds), whole);
  EXPECT_EQ(feed(test.bytes + "*1\r\n$4\r\nPING\r\n", {}, bounds), whole);
  const std::string_view before(test.bytes.data(), test.bytes.size() - 1);
  EXPECT_EQ(feed(before, {}, bounds).error, "") << "refused later than possible";
}

TEST(RespMalformed, array_length) {
  expect_refused({.bytes = "*x", .error = "expected a digit, got 'x' at byte 1"});
  expect_refused({.bytes = "*\r", .error = "expected a digit, got CR at byte 1"});
  expect_refused({.bytes = "*+", .error = "expected a digit, got '+' at byte 1"});
  expect_refused({.bytes = "* ", .error = "expected a digit, got ' ' at byte 1"});
  expect_refused({.bytes = "*-2", .error = "expected '1', got '2' at byte 2"});
  expect_refused({.bytes = "*-1\n", .error = "expected CR, got LF at byte 3"});
  expect_refused({.bytes = "*-10", .error = "expected CR, got '0' at byte 3"});
  expect_refused({.bytes = "*1\n", .error = "expected CR, got LF at byte 2"});
  expect_refused({.bytes = "*1 ", .error = "expected CR, got ' ' at byte 2"});
  expect_refused({.bytes = "*1\r$", .error = "expected LF, got '$' at byte 3"});
  expect_refused({.bytes = "*129", .error = "array length exceeds 128 at byte 3"});
  expect_refused({.bytes = "*1000", .error = "array length exceeds 128 at byte 4"});
  expect_refused({.bytes = "*00000000001", .error = "array length has too many digits at byte 11"});
}

TEST(RespMalformed, bulk_length) {
  expect_refused({.bytes = "*1\r\nx", .error = "expected '$', got 'x' at byte 4"});
  expect_refused({.bytes = "*1\r\n\n", .error = "expected '$', got LF at byte 4"});
  expect_refused({.bytes = "*1\r\n*", .error = "expected '$', got '*' at byte 4"});
  expect_refused({.bytes = "*1\r\n\0"s, .error = "expected '$', got '\\x00' at byte 4"});
  expect_refused({.bytes = "*1\r\n$-", .error = "expected a digit, got '-' at byte 5"});
  expect_refused({.bytes = "*1\r\n$+", .error = "expected a digit, got '+' at byte 5"});
  expect_refused({.bytes = "*1\r\n$ ", .error = "expected a digit, got ' ' at byte 5"});
  expect_refused({.bytes = "*1\r\n$\r", .error = "expected a digit, got CR at byte 5"});
  expect_refused({.bytes = "*1\r\n$4\n", .error = "expected CR, got LF at byte 6"});
  expect_refused({.bytes = "*1\r\n$4\0"s, .error = "expected CR, got '\\x00' at byte 6"});
  expect_refused({.bytes = "*1\r\n$4\r\r", .error = "expected LF, got CR at byte 7"});
  expect_refused({.bytes = "*1\r\n$131073", .error = "bulk length exceeds 131072 at byte 10"});
  expect_refused({.bytes = "*1\r\n$1073741", .error = "bulk length exceeds 131072 at byte 11"});
  expect_refused({.bytes = "*1\r\n$00000000001", .error = "bulk length has too many digits at byte 15"});
}

TEST(RespMalformed, bulk_end) {
  expect_refused({.bytes = "*1\r\n$4\r\nPINGx", .error = "expected CR, got 'x' at byte 12"});
  expect_refused({.bytes = "*1\r\n$4\r\nPING\n", .error = "expected CR, got LF at byte 12"});
  expect_refused({.bytes = "*1\r\n$4\r\nPING\rx", .error = "expected LF, got 'x' at byte 13"});
  expect_refused({.bytes = "*2\r\n$4\r\nPING\r\nx", .error = "expected '$', got 'x' at byte 14"});
}

TEST(RespMalformed, lines) {
  expect_refused({.bytes = "\0"s, .error = "control byte '\\x00' in an inline command at byte 0"});
  expect_refused({.bytes = "\x16", .error = "control byte '\\x16' in an inline command at byte 0"});
  expect_refused({.bytes = "PING\x7f", .error = "control byte '\\x7f' in an inline command at byte 4"});
  expect_refused({.bytes = "a\rb", .error = "expected LF, got 'b' at byte 2"});
  expect_refused({.bytes = "\r\r", .error = "expected LF, got CR at byte 1"});
  expect_refused(
      {.bytes = std::string(4096, 'a'), .error = "inline command exceeds 4096 bytes at byte 4096"});
  std::string line;
  for (int i = 0; i < 129; ++i) line += "w ";
  expect_refused({.bytes = line + "\n", .error = "inline command exceeds 128 words at byte 256"});
}

TEST(RespMalformed, command_size) {
  const RequestBounds bounds{
      .max_args = 4, .max_arg_bytes = 50, .max_command_bytes = 60, .max_inline_bytes = 10};
  expect_refused({.bytes = "*4\r\n$30\r\n" + std::string(30, 'a') + "\r\n$20\r\n",
                  .error = "command exceeds 60 bytes at byte 41"},
                 bounds);
}

TEST(RespMalformed, announced_sizes_need_no_data) {
  EXPECT_EQ(feed("*1\r\n$1073741824", {}).error, "Protocol error: bulk length exceeds 131072 at byte 11");
  EXPECT_EQ(feed("*1000000", {}).error, "Protocol error: array length exceeds 128 at byte 4");
  EXPECT_EQ(feed("*99999999999999999999999999", {}).error,
            "Protocol error: array length exceeds 128 at byte 3");
}

TEST(RespMalformed, comes_after_the_good_commands_before_it) {
  const Outcome outcome = feed("PING\r\n*1\r\n$1\r\na\r\n*1\r\nx", {});
  EXPECT_EQ(outcome.commands, (std::vector<std::vector<std::string>>{{"PING"}, {"a"}}));
  EXPECT_EQ(outcome.error, "Protocol error: expected '$', got 'x' at byte 4");
}

TEST(RespMalformedDeathTest, a_parser_is_not_used_after_it) {
  RequestParser parser;
  Command command;
  ASSERT_EQ(parser.parse("*x", command), ParseStatus::malformed);
  EXPECT_DEATH(static_cast<void>(parser.parse("*x", command)), "error_");
}

}  // namespace
}  // namespace sluice::wire::resp
