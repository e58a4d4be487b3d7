// Walks a document along the table of settings. Internal to config/.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "config/document.h"
#include "config/settings.h"

namespace sluice::config {

struct Reading {
  Settings settings;  ///< with defaults for what is absent; to be used only when there are no faults
  Faults faults;      ///< in no order
  /// Elements of arrays of tables, and tables (as index 0), that hold a fault: (path of the section, index).
  /// So does whatever they lie in, which tells apart the tables within elements.
  std::set<std::pair<std::string_view, std::size_t>> broken;
};

/// Everything that can be said without compiling the rules.
[[nodiscard]] Reading read_document(const Table& document);

}  // namespace sluice::config
