#include "wire/resp/request_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/text.h"

namespace sluice::wire::resp {
namespace {

/// Enough for every bound, and few enough that a number read again after each new byte costs a constant.
constexpr std::size_t kMaxDigits = 10;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Bytes ≥ 0x80 pass: they are UTF-8.
bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

std::string describe(char c) {
  if (c == '\r') return "CR";
  if (c == '\n') return "LF";
  return fmt::format("'{}'", printable({&c, 1}));
}

}  // namespace

// On the path of every word, hence inline, and hence the texts of failures are made elsewhere.
inline ParseStatus RequestParser::expect(std::string_view buffer, std::size_t at, char wanted) {
  if (at >= buffer.size()) return ParseStatus::incomplete;
  ++inspected_;
  if (buffer[at] != wanted) return unexpected(wanted, buffer[at], at);
  return ParseStatus::complete;
}

inline ParseStatus RequestParser::expect_line_end(std::string_view buffer, std::size_t at) {
  const ParseStatus status = expect(buffer, at, '\r');
  return status == ParseStatus::complete ? expect(buffer, at + 1, '\n') : status;
}

ParseStatus RequestParser::parse(std::string_view buffer, Command& command) {
  SLUICE_ASSERT(error_.empty());
  SLUICE_ASSERT(buffer.size() >= position_);
  if (phase_ == Phase::start) {
    if (buffer.empty()) return ParseStatus::incomplete;
    phase_ = buffer.front() == '*' ? Phase::count : Phase::line;
  }
  const ParseStatus status = phase_ == Phase::line ? read_line(buffer) : read_array(buffer);
  if (status == ParseStatus::complete) finish(buffer, command);
  return status;
}

ParseStatus RequestParser::read_array(std::string_view buffer) {
  if (phase_ == Phase::count) {
    const ParseStatus status = read_count(buffer);
    if (status != ParseStatus::complete) return status;
    phase_ = Phase::length;
  }
  for (; words_left_ > 0; --words_left_) {
    const ParseStatus status = read_word(buffer);
    if (status != ParseStatus::complete) return status;
  }
  return ParseStatus::complete;
}

ParseStatus RequestParser::read_count(std::string_view buffer) {
  if (buffer.size() > 1 && buffer[1] == '-') return read_null_count(buffer);
  return read_number(buffer, bounds_.max_args, words_left_);
}

ParseStatus RequestParser::read_null_count(std::string_view buffer) {
  constexpr std::string_view kNullArray = "*-1\r\n";
  for (std::size_t at = 2; at < kNullArray.size(); ++at) {
    const ParseStatus status = expect(buffer, at, kNullArray[at]);
    if (status != ParseStatus::complete) return status;
  }
  position_ = kNullArray.size();
  return ParseStatus::complete;
}

ParseStatus RequestParser::read_word(std::string_view buffer) {
  if (phase_ == Phase::length) {
    const ParseStatus status = read_length(buffer);
    if (status != ParseStatus::complete) return status;
    phase_ = Phase::body;
  }
  const std::size_t end = position_ + word_length_;
  if (const ParseStatus status = expect_line_end(buffer, end); status != ParseStatus::complete) return status;
  words_.push_back({.offset = position_, .length = word_length_});
  position_ = end + 2;
  phase_ = Phase::length;
  return ParseStatus::complete;
}

ParseStatus RequestParser::read_length(std::string_view buffer) {
  const std::size_t start = position_;
  if (const ParseStatus status = expect(buffer, start, '$'); status != ParseStatus::complete) return status;
  const ParseStatus status = read_number(buffer, bounds_.max_arg_bytes, word_length_);
  if (status != ParseStatus::complete) return status;
  const std::size_t rest = word_length_ + 2;  // at most 10 digits: no overflow
  if (position_ > bounds_.max_command_bytes || rest > bounds_.max_command_bytes - position_) {
    return fail(fmt::format("command exceeds {} bytes", bounds_.max_command_bytes), start);
  }
  return ParseStatus::complete;
}

/// Digits and CRLF after the one-byte marker at position_. A number over its bound is refused at the digit
/// that takes it there: nothing more needs to arrive.
ParseStatus RequestParser::read_number(std::string_view buffer, std::size_t max, std::size_t& value) {
  const std::size_t first = position_ + 1;
  std::size_t at = first;
  std::size_t result = 0;
  for (; at < buffer.size() && is_digit(buffer[at]); ++at) {
    result = result * 10 + static_cast<std::size_t>(buffer[at] - '0');
    if (result > max || at - first == kMaxDigits) return refuse_number(result, max, at);
  }
  inspected_ += at - first;
  if (at == buffer.size()) return ParseStatus::incomplete;
  if (at == first) return fail(fmt::format("expected a digit, got {}", describe(buffer[at])), at);
  if (const ParseStatus status = expect_line_end(buffer, at); status != ParseStatus::complete) return status;
  value = result;
  position_ = at + 2;
  return ParseStatus::complete;
}

ParseStatus RequestParser::read_line(std::string_view buffer) {
  const std::size_t limit = std::min(buffer.size(), bounds_.max_inline_bytes);
  for (; position_ < limit; ++position_) {
    ++inspected_;
    const char c = buffer[position_];
    if (c == '\n') return split_line(buffer.substr(0, position_));
    if (c == '\r') {
      // A CR counts only as part of the line's end: a word with a CR in it could forge a line wherever it is
      // shown.
      const ParseStatus status = expect(buffer, position_ + 1, '\n');
      if (status != ParseStatus::complete) return status;
    } else if (is_binary(c)) {
      return fail(fmt::format("control byte {} in an inline command", describe(c)), position_);
    }
  }
  if (limit < bounds_.max_inline_bytes) return ParseStatus::incomplete;
  return fail(fmt::format("inline command exceeds {} bytes", bounds_.max_inline_bytes), limit);
}

ParseStatus RequestParser::split_line(std::string_view line) {
  position_ = line.size() + 1;
  if (line.ends_with('\r')) line.remove_suffix(1);
  inspected_ += line.size();
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return ParseStatus::complete;
    if (words_.size() == bounds_.max_args) {
      return fail(fmt::format("inline command exceeds {} words", bounds_.max_args), at);
    }
    const std::size_t start = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    words_.push_back({.offset = start, .length = at - start});
  }
}

void RequestParser::finish(std::string_view buffer, Command& command) {
  command.resize(words_.size());
  std::ranges::transform(words_, command.begin(),
                         [buffer](Span word) { return buffer.substr(word.offset, word.length); });
  words_.clear();
  consumed_ = position_;
  position_ = 0;
  phase_ = Phase::start;
}

ParseStatus RequestParser::refuse_number(std::size_t value, std::size_t max, std::size_t at) {
  const std::string_view name = phase_ == Phase::count ? "array length" : "bulk length";
  if (value <= max) return fail(fmt::format("{} has too many digits", name), at);
  return fail(fmt::format("{} exceeds {}", name, max), at);
}

ParseStatus RequestParser::unexpected(char wanted, char got, std::size_t at) {
  return fail(fmt::format("expected {}, got {}", describe(wanted), describe(got)), at);
}

ParseStatus RequestParser::fail(std::string_view what, std::size_t at) {
  error_ = fmt::format("Protocol error: {} at byte {}", what, at);
  return ParseStatus::malformed;
}

}  // namespace sluice::wire::resp
