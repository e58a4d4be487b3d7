// What loading a text says, in the words that a person reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"

namespace sluice::config {

/// The texts of all problems of `toml` under the name "sluice.toml", in their order; empty when it loads.
inline std::vector<std::string> problems(std::string_view toml) {
  std::vector<std::string> texts;
  const auto config = load_text(toml, "sluice.toml");
  if (config) return texts;
  for (const Problem& problem : config.error()) texts.push_back(problem.text());
  return texts;
}

using Texts = std::vector<std::string>;

}  // namespace sluice::config
