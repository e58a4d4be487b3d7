#include "sim/redis/request.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/numbers.h"

namespace sluice::sim {
namespace {

constexpr std::size_t kLongestLine = 64UL * 1024;
constexpr std::int64_t kMostWords = 2147483647;
constexpr std::int64_t kLongestWord = 512LL * 1024 * 1024;

Request malformed(std::string_view what) {
  return {.status = Request::Status::malformed, .error = "ERR Protocol error: " + std::string(what)};
}

/// The line that begins at `at`, without its end; moves `at` past it. Nothing: it has not ended yet.
std::optional<std::string_view> take_line(std::string_view bytes, std::size_t& at) {
  const std::size_t end = bytes.find('\r', at);
  if (end == std::string_view::npos || end + 1 >= bytes.size()) return std::nullopt;
  const std::string_view line = bytes.substr(at, end - at);
  at = end + 2;
  return line;
}

Request parse_array(std::string_view bytes) {
  std::size_t at = 1;
  const auto count_line = take_line(bytes, at);
  if (!count_line) return bytes.size() > kLongestLine ? malformed("too big mbulk count string") : Request{};
  const auto count = integer_of(*count_line);
  if (!count || *count > kMostWords) return malformed("invalid multibulk length");
  Request request;
  for (std::int64_t i = 0; i < *count; ++i) {
    if (at >= bytes.size()) return {};
    if (bytes[at] != '$') return malformed("expected '$', got '" + std::string(1, bytes[at]) + "'");
    std::size_t body = at + 1;
    const auto length_line = take_line(bytes, body);
    if (!length_line)
      return bytes.size() - at > kLongestLine ? malformed("too big bulk count string") : Request{};
    const auto length = integer_of(*length_line);
    if (!length || *length < 0 || *length > kLongestWord) return malformed("invalid bulk length");
    const auto size = static_cast<std::size_t>(*length);
    if (bytes.size() < body + size + 2) return {};
    request.words.emplace_back(bytes.substr(body, size));
    at = body + size + 2;  // whatever the two bytes are
  }
  request.status = Request::Status::complete;
  request.consumed = at;
  return request;
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

/// What a backslash within double quotes at `at` stands for; moves `at` to its last character.
char escaped(std::string_view line, std::size_t& at) {
  if (line[at + 1] == 'x' && at + 3 < line.size()) {
    const auto high = hex_digit(line[at + 2]);
    const auto low = hex_digit(line[at + 3]);
    if (high && low) {
      at += 3;
      return static_cast<char>(*high * 16 + *low);
    }
  }
  ++at;
  constexpr std::string_view kLetters = "nrtba";
  constexpr std::string_view kMeanings = "\n\r\t\b\a";
  const std::size_t known = kLetters.find(line[at]);
  return known == std::string_view::npos ? line[at] : kMeanings[known];
}

/// The quoted rest of a word from its opening quote on; false: it does not end as it should.
bool take_quoted(std::string_view line, std::size_t& at, std::string& word) {
  const char quote = line[at];
  for (++at; at < line.size(); ++at) {
    if (line[at] == quote) {
      ++at;
      return at == line.size() || is_space(line[at]);
    }
    const bool escapes = line[at] == '\\' && at + 1 < line.size();
    if (escapes && quote == '"') {
      word += escaped(line, at);
    } else if (escapes && line[at + 1] == '\'') {
      word += '\'';
      ++at;
    } else {
      word += line[at];
    }
  }
  return false;
}

std::optional<std::vector<std::string>> split(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size()) return words;
    std::string word;
    while (at < line.size() && !is_space(line[at])) {
      if (line[at] == '"' || line[at] == '\'') {
        if (!take_quoted(line, at, word)) return std::nullopt;
        break;
      }
      word += line[at++];
    }
    words.push_back(std::move(word));
  }
}

Request parse_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos)
    return bytes.size() > kLongestLine ? malformed("too big inline request") : Request{};
  std::string_view line = bytes.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  auto words = split(line);
  if (!words) return malformed("unbalanced quotes in request");
  return {.status = Request::Status::complete, .words = *std::move(words), .consumed = end + 1};
}

}  // namespace

Request parse_request(std::string_view bytes) {
  if (bytes.empty()) return {};
  return bytes.front() == '*' ? parse_array(bytes) : parse_line(bytes);
}

}  // namespace sluice::sim
