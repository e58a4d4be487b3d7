#include "wire/resp/reply_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "wire/resp/reply_writer.h"
#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {
namespace {

/// Of a length or an integer: sign and the digits of 2^63. A longer line is refused without waiting for its
/// end.
constexpr std::size_t kMaxIntegerBytes = 20;

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && is_digit(text[1])) text.remove_prefix(1);
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  using Limits = std::numeric_limits<double>;
  if (text == "inf" || text == "+inf") return Limits::infinity();
  if (text == "-inf") return -Limits::infinity();
  if (text == "nan") return Limits::quiet_NaN();
  text = without_plus(text);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() <= first || !is_digit(text[first])) return std::nullopt;  // from_chars knows more spellings
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [rest, code] = std::from_chars(begin, end, value);
  if (code != std::errc{} || rest != end) return std::nullopt;
  return value;
}

bool is_big_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Reads one reply from the start of its bytes. Every step returns `complete` to go on.
class ReplyReader {
 public:
  ReplyReader(std::string_view bytes, const ReplyBounds& bounds)
      : bytes_(bytes.substr(0, bounds.max_bytes)), bounds_(bounds) {}

  /// A value below `depth` aggregates.
  ParseStatus read(Value& value, int depth);

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  ParseStatus read_attributes(int depth);
  ParseStatus read_typed(char type, Value& value, int depth);
  ParseStatus read_scalar(char type, Value& value);
  ParseStatus read_text(Value::Kind kind, Value& value);
  ParseStatus read_bulk(char type, Value& value);
  ParseStatus read_items(char type, Value& value, int depth);
  ParseStatus read_length(std::optional<std::size_t>& length);
  ParseStatus read_line(std::string_view& line, std::size_t max);
  ParseStatus expect(std::size_t at, char wanted, std::string_view name);
  ParseStatus more();
  ParseStatus fail(std::string_view what, std::size_t at);

  std::string_view bytes_;
  const ReplyBounds& bounds_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;  // of the value being read: where errors point
  std::string error_;
};

ParseStatus ReplyReader::read(Value& value, int depth) {
  if (const ParseStatus status = read_attributes(depth); status != ParseStatus::complete) return status;
  start_ = position_;
  const char type = bytes_[position_++];
  return read_typed(type, value, depth);
}

/// Any number of attributes may precede a value; afterwards at least one byte is there.
ParseStatus ReplyReader::read_attributes(int depth) {
  while (true) {
    if (position_ == bytes_.size()) return more();
    if (bytes_[position_] != '|') return ParseStatus::complete;
    start_ = position_++;
    Value dropped;
    const ParseStatus status = read_items('|', dropped, depth);
    if (status != ParseStatus::complete) return status;
  }
}

ParseStatus ReplyReader::read_typed(char type, Value& value, int depth) {
  switch (type) {
    case '+':
      return read_text(Value::Kind::simple, value);
    case '-':
      return read_text(Value::Kind::error, value);
    case '$':
    case '!':
    case '=':
      return read_bulk(type, value);
    case '*':
    case '~':
    case '>':
    case '%':
      return read_items(type, value, depth);
    case ':':
    case '_':
    case '#':
    case ',':
    case '(':
      return read_scalar(type, value);
    default:
      return fail(fmt::format("unknown type '{}'", printable({&type, 1})), start_);
  }
}

ParseStatus ReplyReader::read_scalar(char type, Value& value) {
  std::string_view line;
  const std::size_t max = type == ',' || type == '(' ? bounds_.max_bytes : kMaxIntegerBytes;
  if (const ParseStatus status = read_line(line, max); status != ParseStatus::complete) return status;
  bool valid = false;
  if (type == ':') {
    const std::optional<std::int64_t> integer = parse_int(without_plus(line));
    value.kind = Value::Kind::integer;
    value.integer = integer.value_or(0);
    valid = integer.has_value();
  } else if (type == '_') {
    value.kind = Value::Kind::null;
    valid = line.empty();
  } else if (type == '#') {
    value.kind = Value::Kind::boolean;
    value.integer = line == "t" ? 1 : 0;
    valid = line == "t" || line == "f";
  } else if (type == ',') {
    const std::optional<double> number = parse_number(line);
    value.kind = Value::Kind::number;
    value.number = number.value_or(0);
    valid = number.has_value();
  } else {
    value.kind = Value::Kind::bulk;
    value.text = line;
    valid = is_big_number(line);
  }
  return valid ? ParseStatus::complete : fail(fmt::format("invalid '{}{}'", type, printable(line)), start_);
}

ParseStatus ReplyReader::read_text(Value::Kind kind, Value& value) {
  std::string_view line;
  const ParseStatus status = read_line(line, bounds_.max_bytes);
  value.kind = kind;
  value.text = line;
  return status;
}

ParseStatus ReplyReader::read_bulk(char type, Value& value) {
  std::optional<std::size_t> length;
  if (const ParseStatus status = read_length(length); status != ParseStatus::complete) return status;
  if (!length && type != '$') return fail("negative length", start_);
  if (!length) return ParseStatus::complete;  // null
  const std::size_t rest = bounds_.max_bytes - position_;
  if (rest < 2 || *length > rest - 2) {
    return fail(fmt::format("string length {} exceeds a reply of {} bytes", *length, bounds_.max_bytes),
                start_);
  }
  const std::size_t end = position_ + *length;
  if (bytes_.size() < end) return more();
  if (const ParseStatus status = expect(end, '\r', "CR"); status != ParseStatus::complete) return status;
  if (const ParseStatus status = expect(end + 1, '\n', "LF"); status != ParseStatus::complete) return status;
  std::string_view text = bytes_.substr(position_, *length);
  if (type == '=') {
    constexpr std::size_t kFormatBytes = 4;  // "txt:"
    if (text.size() < kFormatBytes || text[kFormatBytes - 1] != ':') {
      return fail("verbatim string without format", start_);
    }
    text.remove_prefix(kFormatBytes);
  }
  value.kind = type == '!' ? Value::Kind::error : Value::Kind::bulk;
  value.text = text;
  position_ = end + 2;
  return ParseStatus::complete;
}

ParseStatus ReplyReader::read_items(char type, Value& value, int depth) {
  const std::size_t start = start_;
  const bool pairs = type == '%' || type == '|';
  std::optional<std::size_t> length;
  if (const ParseStatus status = read_length(length); status != ParseStatus::complete) return status;
  if (!length && type != '*') return fail("negative length", start);
  if (!length) return ParseStatus::complete;  // null
  if (*length > bounds_.max_items / (pairs ? 2 : 1)) {
    return fail(fmt::format("length {} of '{}' exceeds {} items", *length, type, bounds_.max_items), start);
  }
  if (depth >= bounds_.max_depth) return fail(fmt::format("nested deeper than {}", bounds_.max_depth), start);
  value.kind = pairs ? Value::Kind::map : Value::Kind::array;
  const std::size_t count = pairs ? *length * 2 : *length;
  for (std::size_t i = 0; i < count; ++i) {
    // One at a time: memory follows the bytes that arrived, not the announcement.
    const ParseStatus status = read(value.items.emplace_back(), depth + 1);
    if (status != ParseStatus::complete) return status;
  }
  return ParseStatus::complete;
}

/// A length and CRLF; nothing for −1, the null of RESP2.
ParseStatus ReplyReader::read_length(std::optional<std::size_t>& length) {
  std::string_view line;
  const ParseStatus status = read_line(line, kMaxIntegerBytes);
  if (status != ParseStatus::complete) return status;
  const std::optional<std::int64_t> number = parse_int(line);
  if (!number || *number < -1) return fail(fmt::format("invalid length '{}'", printable(line)), start_);
  if (*number >= 0) length = static_cast<std::size_t>(*number);
  return ParseStatus::complete;
}

/// From position_ to CRLF, at most `max` bytes.
ParseStatus ReplyReader::read_line(std::string_view& line, std::size_t max) {
  const std::string_view rest = bytes_.substr(position_);
  const std::size_t end = rest.find_first_of("\r\n");
  if (std::min(end, rest.size()) > max) return fail(fmt::format("line exceeds {} bytes", max), start_);
  if (end == std::string_view::npos) return more();
  if (const ParseStatus status = expect(position_ + end, '\r', "CR"); status != ParseStatus::complete) {
    return status;
  }
  if (const ParseStatus status = expect(position_ + end + 1, '\n', "LF"); status != ParseStatus::complete) {
    return status;
  }
  line = rest.substr(0, end);
  position_ += end + 2;
  return ParseStatus::complete;
}

ParseStatus ReplyReader::expect(std::size_t at, char wanted, std::string_view name) {
  if (at >= bytes_.size()) return more();
  if (bytes_[at] == wanted) return ParseStatus::complete;
  return fail(fmt::format("expected {}, got '{}'", name, printable(bytes_.substr(at, 1))), at);
}

/// The bytes ran out. More will not help a reply that already fills its bound.
ParseStatus ReplyReader::more() {
  if (bytes_.size() < bounds_.max_bytes) return ParseStatus::incomplete;
  return fail(fmt::format("reply exceeds {} bytes", bounds_.max_bytes), bytes_.size());
}

ParseStatus ReplyReader::fail(std::string_view what, std::size_t at) {
  error_ = fmt::format("Protocol error: {} at byte {}", what, at);
  return ParseStatus::malformed;
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  if (kind != Kind::map) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    const Value& name = items[i];
    if ((name.kind == Kind::bulk || name.kind == Kind::simple) && name.text == key) return &items[i + 1];
  }
  return nullptr;
}

ParseStatus parse_reply(std::string_view buffer, const ReplyBounds& bounds, Value& value,
                        std::size_t& consumed, std::string& error) {
  value = Value{};
  ReplyReader reader(buffer, bounds);
  const ParseStatus status = reader.read(value, 0);
  if (status == ParseStatus::complete) consumed = reader.position();
  if (status == ParseStatus::malformed) error = reader.error();
  return status;
}

void append_command(std::string& out, const std::vector<std::string_view>& words) {
  ReplyWriter writer(out, Version::resp2);
  writer.array(words.size());
  for (const std::string_view word : words) writer.bulk(word);
}

}  // namespace sluice::wire::resp
