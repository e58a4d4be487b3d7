#include "config/document.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/text.h"
#include "config/dots.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// toml++ 3.3 asserts of the file's bytes what it then tests and reports properly ("[=]" would abort).
#define TOML_ASSERT(condition) static_cast<void>(0)
// It also declares unreachable what a letter such as "ä" outside of a string reaches, in its tests for kinds
// of characters. There, and only there, "no" is the right answer.
#include <toml++/impl/forward_declarations.h>
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE return false
#include <toml++/impl/unicode.h>
#undef TOML_UNREACHABLE
#define TOML_UNREACHABLE __builtin_unreachable()
#include <toml++/toml.h>

namespace sluice::config {
namespace {

// No setting lies deeper than a pattern within an override of a rule.
constexpr std::size_t kMaxDepth = 32;

Place place_of(const toml::source_region& source) {
  return {source.begin.line, source.begin.column};
}

/// toml++'s tree → ours.
class Converter {
 public:
  /// Tables and arrays in it may nest kMaxDepth deep.
  std::expected<Table, Fault> convert(const toml::table& root) {
    Table table = convert_table(root, 0);
    if (too_deep_) return std::unexpected(*std::move(too_deep_));
    return table;
  }

 private:
  Value convert_node(const toml::node& node, std::size_t depth);
  Table convert_table(const toml::table& table, std::size_t depth);
  Array convert_array(const toml::array& array, std::size_t depth);

  std::optional<Fault> too_deep_;
};

Value Converter::convert_node(const toml::node& node, std::size_t depth) {
  Value out{place_of(node.source()), DateOrTime{}};
  if (depth > kMaxDepth) {
    too_deep_ = Fault{out.place, "tables or arrays nested more than " + std::to_string(kMaxDepth) + " deep"};
  } else if (const auto* table = node.as_table()) {
    out.data = convert_table(*table, depth);
  } else if (const auto* array = node.as_array()) {
    out.data = convert_array(*array, depth);
  } else if (const auto* text = node.as_string()) {
    out.data = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.data = std::int64_t{integer->get()};
  } else if (const auto* number = node.as_floating_point()) {
    out.data = number->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.data = boolean->get();
  }
  return out;
}

Table Converter::convert_table(const toml::table& table, std::size_t depth) {
  Table out;
  out.entries.reserve(table.size());
  for (const auto& [key, node] : table) {
    out.entries.push_back({std::string(key.str()), place_of(key.source()), convert_node(node, depth + 1)});
  }
  std::ranges::sort(out.entries, {}, &Entry::key);
  return out;
}

Array Converter::convert_array(const toml::array& array, std::size_t depth) {
  Array out;
  out.reserve(array.size());
  for (const toml::node& item : array) out.push_back(convert_node(item, depth + 1));
  return out;
}

}  // namespace

const Entry* Table::find(std::string_view key) const {
  const auto at = std::ranges::lower_bound(entries, key, {}, &Entry::key);
  return at != entries.end() && at->key == key ? &*at : nullptr;
}

std::expected<Table, Fault> parse_document(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) return std::unexpected(Fault{{}, "is larger than 4 MiB"});
  if (auto fault = find_too_many_dots(text)) return std::unexpected(*std::move(fault));
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    constexpr std::size_t kMaxDescription = 400;
    const toml::parse_error& error = result.error();
    return std::unexpected(Fault{place_of(error.source()), printable(error.description(), kMaxDescription)});
  }
  return Converter().convert(result.table());
}

const Value* find_value(const Table& document, std::initializer_list<std::string_view> path) {
  const Table* table = &document;
  const Value* value = nullptr;
  for (const std::string_view key : path) {
    const Entry* const entry = table != nullptr ? table->find(key) : nullptr;
    if (entry == nullptr) return nullptr;
    value = &entry->value;
    table = std::get_if<Table>(&value->data);
  }
  return value;
}

std::string_view kind_of(const Value& value) {
  // In the order of Value::data.
  constexpr std::array<std::string_view, std::variant_size_v<decltype(Value::data)>> kKinds{
      "a string", "an integer", "a number with a fraction", "a boolean", "a date or time",
      "an array", "a table"};
  return kKinds.at(value.data.index());
}

}  // namespace sluice::config
