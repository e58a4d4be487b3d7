#include "sim/redis/value.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace sluice::sim {
namespace {

void append_line(std::string& out, char type, std::string_view text) {
  out += type;
  const std::size_t at = out.size();
  out += text;
  std::replace_if(
      out.begin() + static_cast<std::ptrdiff_t>(at), out.end(), [](char c) { return c == '\r' || c == '\n'; },
      ' ');
  out += "\r\n";
}

/// Errors lose the line breaks at their end.
std::string_view trimmed(std::string_view error) {
  return error.substr(0, error.find_last_not_of("\r\n") + 1);
}

void append_length(std::string& out, char type, std::size_t length) {
  append_line(out, type, std::to_string(length));
}

void append_bulk(std::string& out, std::string_view bytes) {
  append_length(out, '$', bytes.size());
  out += bytes;
  out += "\r\n";
}

void append_number(std::string& out, double number, Resp version) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.17g", number);
  const std::string_view digits(text.data(), static_cast<std::size_t>(length));
  if (version == Resp::three) {
    append_line(out, ',', digits);
  } else {
    append_bulk(out, digits);
  }
}

void append_items(std::string& out, const Value& value, Resp version) {
  const bool is_map = value.kind == Value::Kind::map && version == Resp::three;
  append_length(out, is_map ? '%' : '*', is_map ? value.items.size() / 2 : value.items.size());
  for (const Value& item : value.items) append(out, item, version);
}

}  // namespace

void append(std::string& out, const Value& value, Resp version) {
  switch (value.kind) {
    case Value::Kind::nil:
      out += version == Resp::three ? "_\r\n" : "$-1\r\n";
      return;
    case Value::Kind::nil_array:
      out += version == Resp::three ? "_\r\n" : "*-1\r\n";
      return;
    case Value::Kind::integer:
      return append_line(out, ':', std::to_string(value.integer));
    case Value::Kind::bulk:
      return append_bulk(out, value.text);
    case Value::Kind::status:
      return append_line(out, '+', value.text);
    case Value::Kind::error:
      return append_line(out, '-', trimmed(value.text));
    case Value::Kind::number:
      return append_number(out, value.number, version);
    case Value::Kind::array:
    case Value::Kind::map:
      return append_items(out, value, version);
  }
}

}  // namespace sluice::sim
