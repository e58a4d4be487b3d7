#include "config/reader.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/assert.h"
#include "base/text.h"
#include "config/document.h"
#include "config/http.h"
#include "config/store.h"
#include "config/table.h"
#include "config/value.h"

namespace sluice::config {
namespace {

constexpr Section kRoot{};

/// Where a section stands in the file: its table, and what messages call it.
struct Position {
  const Table& table;
  Place place;
  std::string label;
};

/// All defaults of the table as a document of their own, { "server" = { … }, "rule.override" = { … } }, so
/// that they take the same way, through the same checks, as what a person writes.
Table make_defaults() {
  std::string text;
  for (const Section& section : sections()) {
    text += fmt::format("[\"{}\"]\n", section.path);
    for (const Setting& setting : settings_table()) {
      if (setting.section != section.path || setting.presence != Presence::defaulted) continue;
      text += fmt::format("{} = {}\n", setting.key, setting.literal);
    }
  }
  auto document = parse_document(text);
  SLUICE_ASSERT(document.has_value());
  return *std::move(document);
}

bool is_child(const Section& section, const Section& parent) {
  return parent_of(section.path) == parent.path;
}

/// `[server]`, `[[rule]] "per-user"`, `an override of [[rule]] "per-user"`, `lease of [[rule]] "per-user"`.
std::string label_of(const Section& section, const Table& table, const std::string& parent_label) {
  if (section.shape == Shape::table) {
    return is_repeated(section) ? fmt::format("{} of {}", leaf_of(section.path), parent_label)
                                : header_of(section);
  }
  if (!parent_of(section.path).empty())
    return fmt::format("an {} of {}", leaf_of(section.path), parent_label);
  const Entry* const name = table.find("name");
  const auto* const text = name != nullptr ? std::get_if<std::string>(&name->value.data) : nullptr;
  if (text == nullptr) return header_of(section);
  return fmt::format("{} \"{}\"", header_of(section), printable(*text));
}

/// What may stand in the section, for suggestions.
std::vector<std::string_view> known_names(const Section& section) {
  std::vector<std::string_view> names;
  for (const Setting& setting : settings_table()) {
    if (setting.section == section.path) names.push_back(setting.key);
  }
  for (const Section& child : sections()) {
    if (is_child(child, section)) names.push_back(leaf_of(child.path));
  }
  return names;
}

/// A table, or an array of tables.
bool is_section_like(const Value& value) {
  if (std::holds_alternative<Table>(value.data)) return true;
  const auto* const items = std::get_if<Array>(&value.data);
  return items != nullptr && !items->empty() && std::holds_alternative<Table>(items->front().data);
}

/// For a key of the root, where there are only sections.
std::string unknown_at_root(const Entry& entry) {
  const std::string name = printable(entry.key);
  if (is_section_like(entry.value)) {
    return fmt::format("unknown section \"{}\"{}", name, did_you_mean(entry.key, known_names(kRoot)));
  }
  for (const Setting& setting : settings_table()) {
    if (setting.key == entry.key) {
      return fmt::format("\"{}\" stands outside of any section; it belongs below {}", name,
                         header_of(*find_section(setting.section)));
    }
  }
  return fmt::format("unknown key \"{}\" outside of any section", name);
}

class Reader {
 public:
  explicit Reader(const Table& document) : defaults_(make_defaults()) {
    read_section(kRoot, {document, {}, ""});
  }

  Reading take() && { return std::move(reading_); }

 private:
  void read_section(const Section& section, const Position& position);
  void find_unknown(const Section& section, const Position& position);
  void read_settings(const Section& section, const Position& position);
  void read_child(const Section& child, const Entry* entry, const std::string& parent_label);
  void read_elements(const Section& child, const Array& elements, const std::string& parent_label);
  /// `value` is the section, or one element of it, number `index`.
  void read_table(const Section& section, const Value& value, std::size_t index,
                  const std::string& parent_label);
  void wrong_shape(const Section& section, const Value& value);
  void wrong(const Place& place, std::string message) {
    reading_.faults.push_back({place, std::move(message)});
  }

  Table defaults_;
  Reading reading_;
};

void Reader::read_section(const Section& section, const Position& position) {
  find_unknown(section, position);
  read_settings(section, position);
  for (const Section& child : sections()) {
    if (is_child(child, section)) read_child(child, position.table.find(leaf_of(child.path)), position.label);
  }
}

void Reader::find_unknown(const Section& section, const Position& position) {
  for (const Entry& entry : position.table.entries) {
    if (find_setting(section.path, entry.key) != nullptr) continue;
    if (find_section(path_of(section.path, entry.key)) != nullptr) continue;
    wrong(entry.place, section.path.empty()
                           ? unknown_at_root(entry)
                           : fmt::format("unknown key \"{}\" in {}{}", printable(entry.key), position.label,
                                         did_you_mean(entry.key, known_names(section))));
  }
}

void Reader::read_settings(const Section& section, const Position& position) {
  for (const Setting& setting : settings_table()) {
    if (setting.section != section.path) continue;
    const Entry* entry = position.table.find(setting.key);
    if (entry == nullptr && setting.presence == Presence::required) {
      wrong(position.place, fmt::format("{} has no {}", position.label, setting.key));
    }
    if (entry == nullptr && setting.presence == Presence::defaulted) {
      entry = std::get<Table>(defaults_.find(section.path)->value.data).find(setting.key);
    }
    if (entry != nullptr) read_value(setting, entry->value, setting.slot(reading_.settings), reading_.faults);
  }
}

void Reader::read_child(const Section& child, const Entry* entry, const std::string& parent_label) {
  if (child.shape == Shape::table) {
    if (entry != nullptr && child.present != nullptr) *child.present(reading_.settings) = true;
    if (entry != nullptr) return read_table(child, entry->value, 0, parent_label);
    const Table nothing;
    return read_section(child, {nothing, {}, ""});  // for its defaults
  }
  if (entry == nullptr) return;
  if (const auto* elements = std::get_if<Array>(&entry->value.data)) {
    return read_elements(child, *elements, parent_label);
  }
  wrong_shape(child, entry->value);
}

void Reader::read_elements(const Section& child, const Array& elements, const std::string& parent_label) {
  std::size_t index = 0;
  for (const Value& element : elements) {
    child.append(reading_.settings);
    read_table(child, element, index++, parent_label);
  }
}

void Reader::read_table(const Section& section, const Value& value, std::size_t index,
                        const std::string& parent_label) {
  const std::size_t faults_before = reading_.faults.size();
  if (const auto* table = std::get_if<Table>(&value.data)) {
    read_section(section, {*table, value.place, label_of(section, *table, parent_label)});
  } else {
    wrong_shape(section, value);
  }
  if (reading_.faults.size() != faults_before) reading_.broken.emplace(section.path, index);
}

void Reader::wrong_shape(const Section& section, const Value& value) {
  const std::string_view wanted = section.shape == Shape::table ? "a table" : "an array of tables";
  wrong(value.place, fmt::format("{} must be {}, written {}, not {}", leaf_of(section.path), wanted,
                                 header_of(section), kind_of(value)));
}

/// The first rule of a name keeps it.
void find_duplicate_names(const Table& document, Faults& faults) {
  const Entry* const rules = document.find("rule");
  const auto* const elements = rules != nullptr ? std::get_if<Array>(&rules->value.data) : nullptr;
  if (elements == nullptr) return;
  std::unordered_map<std::string_view, std::size_t> line_of;
  for (const Value& element : *elements) {
    const auto* const rule = std::get_if<Table>(&element.data);
    const Entry* const name = rule != nullptr ? rule->find("name") : nullptr;
    const auto* const text = name != nullptr ? std::get_if<std::string>(&name->value.data) : nullptr;
    if (text == nullptr) continue;
    const Place& place = name->value.place;
    const auto [first, is_new] = line_of.try_emplace(*text, place.line);
    if (is_new) continue;
    faults.push_back(
        {place, fmt::format("rule name \"{}\" is already used in line {}", printable(*text), first->second)});
  }
}

}  // namespace

Reading read_document(const Table& document) {
  Reading reading = Reader(document).take();
  find_duplicate_names(document, reading.faults);
  // With a wrong list or table among them, names would be missed that are there.
  if (!reading.broken.contains({kDescriptorsSection, 0})) {
    settle_descriptors(document, reading.settings.http.descriptors, reading.faults);
  }
  check_store(document, reading.settings.store, reading.faults);
  return reading;
}

}  // namespace sluice::config
