// percent_decode and parse_query of response_writer.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/http1/response_writer.h"

namespace sluice::wire::http1 {
namespace {

enum class Plus : std::uint8_t { stays, is_space };

std::optional<unsigned> hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

bool decode(std::string_view text, Plus plus, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '%') {
      out += c == '+' && plus == Plus::is_space ? ' ' : c;
      continue;
    }
    if (text.size() - at < 3) return false;
    const auto high = hex_value(text[at + 1]);
    const auto low = hex_value(text[at + 2]);
    if (!high || !low) return false;
    out += static_cast<char>(*high * 16 + *low);
    at += 2;
  }
  return true;
}

}  // namespace

bool percent_decode(std::string_view text, std::string& out) {
  if (decode(text, Plus::stays, out)) return true;
  out.clear();
  return false;
}

bool parse_query(std::string_view query, std::vector<std::pair<std::string, std::string>>& out) {
  out.clear();
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    auto& [decoded_name, decoded_value] = out.emplace_back();
    if (!decode(part.substr(0, equals), Plus::is_space, decoded_name) ||
        !decode(value, Plus::is_space, decoded_value)) {
      out.clear();
      return false;
    }
  }
  return true;
}

}  // namespace sluice::wire::http1
