#include "wire/resp/reply_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace sluice::wire::resp {
namespace {

constexpr std::string_view kEnd = "\r\n";

/// `marker`, the number and CRLF, in one append.
template <std::integral T>
void append_number(std::string& out, char marker, T value) {
  constexpr std::size_t kLongest = 20;  // −2^63 and 2^64−1
  std::array<char, kLongest + 3> frame{};
  frame.front() = marker;
  char* end = std::to_chars(frame.data() + 1, frame.data() + 1 + kLongest, value).ptr;
  *end++ = '\r';
  *end++ = '\n';
  out.append(frame.data(), end);
}

/// A line must stay one line, or whoever chose the text would write the next reply.
void append_line(std::string& out, char marker, std::string_view text) {
  out += marker;
  const std::size_t start = out.size();
  out += text;
  for (std::size_t at = out.find_first_of(kEnd, start); at != std::string::npos;
       at = out.find_first_of(kEnd, at + 1)) {
    out[at] = ' ';
  }
  out += kEnd;
}

/// The shortest text that reads back as the same double; "inf", "-inf" and "nan" as RESP3 spells them.
std::string_view number_text(double value, std::array<char, 32>& space) {
  if (std::isnan(value)) return "nan";
  const char* end = std::to_chars(space.data(), space.data() + space.size(), value).ptr;
  return {space.data(), end};
}

}  // namespace

void ReplyWriter::simple(std::string_view text) {
  append_line(out_, '+', text);
}

void ReplyWriter::error(std::string_view text) {
  append_line(out_, '-', text);
}

void ReplyWriter::integer(std::int64_t value) {
  append_number(out_, ':', value);
}

void ReplyWriter::bulk(std::string_view bytes) {
  append_number(out_, '$', bytes.size());
  out_.append(bytes).append(kEnd);
}

void ReplyWriter::boolean(bool value) {
  if (version_ == Version::resp2) {
    integer(value ? 1 : 0);
  } else {
    out_ += value ? "#t\r\n" : "#f\r\n";
  }
}

void ReplyWriter::number(double value) {
  std::array<char, 32> space{};
  const std::string_view text = number_text(value, space);
  if (version_ == Version::resp2) {
    bulk(text);
  } else {
    append_line(out_, ',', text);
  }
}

void ReplyWriter::null() {
  out_ += version_ == Version::resp2 ? "$-1\r\n" : "_\r\n";
}

void ReplyWriter::array(std::size_t length) {
  append_number(out_, '*', length);
}

void ReplyWriter::map(std::size_t pairs) {
  if (version_ == Version::resp3) {
    append_number(out_, '%', pairs);
    return;
  }
  SLUICE_ASSERT(pairs <= std::numeric_limits<std::size_t>::max() / 2);
  array(pairs * 2);
}

}  // namespace sluice::wire::resp
