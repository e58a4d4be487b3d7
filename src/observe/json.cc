#include "observe/json.h"

#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"

namespace sluice::observe {
namespace {

/// All that printable() leaves is ASCII without control bytes.
void append_quoted(std::string& out, std::string_view value) {
  constexpr std::size_t kLongest = 1024;
  out += '"';
  for (const char c : printable(value, kLongest)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

void JsonWriter::begin_value(std::string_view name) {
  if (!first_) out_ += ',';
  first_ = false;
  if (name.empty()) return;
  append_quoted(out_, name);
  out_ += ':';
}

void JsonWriter::begin_object(std::string_view name) {
  begin_value(name);
  out_ += '{';
  first_ = true;
}

void JsonWriter::end_object() {
  out_ += '}';
  first_ = false;
}

void JsonWriter::begin_array(std::string_view name) {
  begin_value(name);
  out_ += '[';
  first_ = true;
}

void JsonWriter::end_array() {
  out_ += ']';
  first_ = false;
}

void JsonWriter::text(std::string_view name, std::string_view value) {
  begin_value(name);
  append_quoted(out_, value);
}

void JsonWriter::number(std::string_view name, std::uint64_t value) {
  raw(name, std::to_string(value));
}

void JsonWriter::number(std::string_view name, std::int64_t value) {
  raw(name, std::to_string(value));
}

void JsonWriter::number(std::string_view name, double value) {
  if (!std::isfinite(value)) return null(name);
  raw(name, fmt::format("{:.6g}", value));
}

void JsonWriter::boolean(std::string_view name, bool value) {
  raw(name, value ? "true" : "false");
}

void JsonWriter::null(std::string_view name) {
  raw(name, "null");
}

void JsonWriter::raw(std::string_view name, std::string_view json) {
  begin_value(name);
  out_ += json;
}

void JsonWriter::text_or_null(std::string_view name, const std::optional<std::string>& value) {
  if (value) {
    text(name, *value);
  } else {
    null(name);
  }
}

}  // namespace sluice::observe
