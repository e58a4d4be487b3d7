// TOML → Settings and Policy.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "rules/policy.h"

namespace sluice::config {

/// One fault of a file. `line` and `column` count from 1; 0 where no place applies.
struct Problem {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
  std::string message;
  /// "sluice.toml:12:9: unknown key …"
  [[nodiscard]] std::string text() const;
};

/// A whole, valid configuration.
struct Config {
  Settings settings;
  std::shared_ptr<const rules::Policy> policy;
};

/// All faults that can be found in one pass, in order of place; exactly one when it is not TOML at all.
using Problems = std::vector<Problem>;

[[nodiscard]] std::expected<Config, Problems> load_text(std::string_view toml, const std::string& file_name);
/// Reads at most 4 MiB.
[[nodiscard]] std::expected<Config, Problems> load_file(const std::string& path);

/// Names ("server.socket") of settings that differ and that a running daemon cannot take over.
[[nodiscard]] std::vector<std::string> needs_restart(const Settings& running, const Settings& wanted);

/// A TOML file with every setting, its default, bounds and help, made from the table: conf/reference.toml.
[[nodiscard]] std::string reference_toml();

}  // namespace sluice::config
