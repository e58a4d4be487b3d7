#include "config/load.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <expected>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/assert.h"
#include "config/document.h"
#include "config/policy.h"
#include "config/reader.h"
#include "config/settings.h"
#include "config/table.h"
#include "rules/spec.h"

namespace sluice::config {
namespace {

/// In order of place.
Problems problems_of(Faults faults, const std::string& file_name) {
  std::ranges::sort(faults, [](const Fault& a, const Fault& b) {
    return std::tie(a.place, a.message) < std::tie(b.place, b.message);
  });
  Problems problems;
  for (Fault& fault : faults) {
    problems.push_back({file_name, fault.place.line, fault.place.column, std::move(fault.message)});
  }
  return problems;
}

constexpr std::size_t kReadBytes = std::size_t{64} << 10U;

struct CloseFile {
  void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
};

std::string system_message(int error) {
  return std::generic_category().message(error);
}

/// Stops soon after the most that a document may have; the parser refuses what is larger.
std::expected<std::string, std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return std::unexpected("cannot be read: " + system_message(errno));
  std::string text;
  std::vector<char> chunk(kReadBytes);
  while (text.size() <= kMaxDocumentBytes && std::feof(file.get()) == 0) {
    const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (std::ferror(file.get()) != 0) return std::unexpected("cannot be read: " + system_message(errno));
    text.append(chunk.data(), count);
  }
  return text;
}

/// Both slots come from one row, so they are of one kind.
bool same(const Slot& left, const Slot& right) {
  return std::visit(
      [&right](auto* field) {
        using Pointer = decltype(field);
        if constexpr (std::is_same_v<Pointer, std::vector<rules::MatchSpec>*>) {
          return true;  // only in rules, which are never compared: they reload
        } else {
          const Pointer* const other = std::get_if<Pointer>(&right);
          SLUICE_ASSERT(other != nullptr);
          return *field == **other;
        }
      },
      left);
}

}  // namespace

std::string Problem::text() const {
  if (line == 0) return fmt::format("{}: {}", file, message);
  return fmt::format("{}:{}:{}: {}", file, line, column, message);
}

std::expected<Config, Problems> load_text(std::string_view toml, const std::string& file_name) {
  auto document = parse_document(toml);
  if (!document) return std::unexpected(problems_of({std::move(document).error()}, file_name));
  Reading reading = read_document(*document);
  auto policy = compile_policy(reading, *document);
  if (policy) return Config{std::move(reading.settings), *std::move(policy)};
  Faults faults = std::move(reading.faults);
  std::ranges::move(policy.error(), std::back_inserter(faults));
  return std::unexpected(problems_of(std::move(faults), file_name));
}

std::expected<Config, Problems> load_file(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return std::unexpected(Problems{{path, 0, 0, text.error()}});
  return load_text(*text, path);
}

std::vector<std::string> needs_restart(const Settings& running, const Settings& wanted) {
  // Slots lead to fields that may be written, hence the copies.
  Settings left = running;
  Settings right = wanted;
  std::vector<std::string> names;
  for (const Section& section : sections()) {
    if (section.present != nullptr && *section.present(left) != *section.present(right))
      names.emplace_back(section.path);
  }
  for (const Setting& setting : settings_table()) {
    if (setting.change == Change::reload) continue;
    if (!same(setting.slot(left), setting.slot(right)))
      names.push_back(path_of(setting.section, setting.key));
  }
  return names;
}

}  // namespace sluice::config
