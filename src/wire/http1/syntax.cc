#include "wire/http1/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <string_view>

#include "base/text.h"
#include "wire/http1/fault.h"

namespace sluice::wire::http1 {
namespace {

using ByteSet = std::array<bool, 256>;

constexpr std::size_t index_of(char c) {
  return static_cast<unsigned char>(c);
}

constexpr ByteSet kText = [] {
  ByteSet set{};
  for (std::size_t byte = 0x20; byte < set.size(); ++byte) set[byte] = byte != 0x7f;
  set[index_of('\t')] = true;
  return set;
}();

constexpr ByteSet kTokenCharacters = [] {
  ByteSet set{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789")) set[index_of(c)] = true;
  for (char c = 'a'; c <= 'z'; ++c) set[index_of(c)] = true;
  for (char c = 'A'; c <= 'Z'; ++c) set[index_of(c)] = true;
  return set;
}();

}  // namespace

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_text(char c) {
  return kText[index_of(c)];
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return kTokenCharacters[index_of(c)]; });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::expected<FieldLine, Fault> split_field(std::string_view line) {
  if (!line.empty() && is_blank(line.front())) return refuse(400, "a header field is folded (obs-fold)");
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return refuse(400, "a header field has no colon");
  const std::string_view name = line.substr(0, colon);
  if (name.empty()) return refuse(400, "a header field has no name");
  if (is_blank(name.back())) return refuse(400, "white space before the colon of a header field");
  if (!is_token(name))
    return refuse(400, fmt::format("\"{}\" is no name of a header field", printable(name)));
  return FieldLine{.name = name, .value = trimmed(line.substr(colon + 1))};
}

}  // namespace sluice::wire::http1
