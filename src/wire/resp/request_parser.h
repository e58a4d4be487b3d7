// RESP requests: bytes → commands. No sockets; resumes at any byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::wire::resp {

/// Bounds on one command, checked on the announced numbers before anything is stored.
struct RequestBounds {
  std::size_t max_args = 128;
  std::size_t max_arg_bytes = 128UL * 1024;      ///< one argument
  std::size_t max_command_bytes = 512UL * 1024;  ///< a whole command, framing included
  std::size_t max_inline_bytes = 4UL * 1024;     ///< a command typed as a plain line, line end included
};

/// A parsed command: views into the buffer that was given to RequestParser::parse, valid until it changes.
using Command = std::vector<std::string_view>;

enum class ParseStatus : std::uint8_t {
  complete,    ///< a command is in `command`; drop `consumed` bytes
  incomplete,  ///< give the same bytes and more
  malformed,   ///< not RESP, or over a bound: answer error() and close, the stream cannot be trusted further
};

/// Reads one command at a time from the front of a buffer that the caller owns and grows. The parser
/// remembers how far it got, so feeding a long command byte by byte costs linear time. Accepts arrays of bulk
/// strings, and "inline" commands: one line, words separated by spaces or tabs, ended by LF or CRLF. Empty
/// lines and empty arrays are complete commands without words.
///
/// Inline words are views of the line, so quotes and backslashes are ordinary bytes: a value with a space
/// needs the array form. Control bytes in a line are refused, so that binary garbage is not buffered in hope
/// of a line end.
///
/// The outcome, error text included, depends on the bytes alone and never on how they were cut into calls.
class RequestParser {
 public:
  explicit RequestParser(const RequestBounds& bounds = {}) : bounds_(bounds) {}

  /// `buffer` starts where the last complete command ended, and otherwise extends what was given before (it
  /// may have moved in memory). `command` is written only on `complete`. After `malformed` only error() may
  /// be called.
  [[nodiscard]] ParseStatus parse(std::string_view buffer, Command& command);

  /// After `complete`: the length of that command.
  [[nodiscard]] std::size_t consumed() const { return consumed_; }

  /// After `malformed`: what is wrong and where, for the client: "Protocol error: expected '$', got 'x' at
  /// byte 12". Bytes are counted from 0 at the start of the command. One line of ASCII. Valid while the
  /// parser is.
  [[nodiscard]] std::string_view error() const { return error_; }

  /// Bytes of framing and of inline lines looked at since construction, repeats included (the contents of
  /// bulk strings are never looked at). Shows that parsing is linear.
  [[nodiscard]] std::uint64_t inspected() const { return inspected_; }

 private:
  enum class Phase : std::uint8_t { start, count, length, body, line };

  /// A word found so far. Offsets, because the buffer may move before the command is complete.
  struct Span {
    std::size_t offset;
    std::size_t length;
  };

  // Each of these reads from position_ and moves it only past what is done with.
  ParseStatus read_array(std::string_view buffer);
  ParseStatus read_count(std::string_view buffer);
  ParseStatus read_null_count(std::string_view buffer);
  ParseStatus read_word(std::string_view buffer);
  ParseStatus read_length(std::string_view buffer);
  ParseStatus read_line(std::string_view buffer);
  ParseStatus read_number(std::string_view buffer, std::size_t max, std::size_t& value);
  ParseStatus expect(std::string_view buffer, std::size_t at, char wanted);
  ParseStatus expect_line_end(std::string_view buffer, std::size_t at);

  ParseStatus split_line(std::string_view line);
  void finish(std::string_view buffer, Command& command);
  ParseStatus refuse_number(std::size_t value, std::size_t max, std::size_t at);
  ParseStatus unexpected(char wanted, char got, std::size_t at);
  ParseStatus fail(std::string_view what, std::size_t at);

  RequestBounds bounds_;
  Phase phase_ = Phase::start;
  std::size_t position_ = 0;     // bytes of this command that are done with
  std::size_t words_left_ = 0;   // of the announced array
  std::size_t word_length_ = 0;  // of the bulk string whose body is awaited
  std::vector<Span> words_;      // bound: max_args
  std::size_t consumed_ = 0;
  std::uint64_t inspected_ = 0;
  std::string error_;
};

}  // namespace sluice::wire::resp
