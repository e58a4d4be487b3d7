// What is wrong with one field of a rule, before it is known which rule it is.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace sluice::rules {

struct Fault {
  std::string field;    ///< TOML key path within the rule, bypass or override: "limit", "match.user"
  std::string message;  ///< what is wrong and what would be right
};

[[nodiscard]] inline std::unexpected<Fault> fault(std::string field, std::string message) {
  return std::unexpected(Fault{std::move(field), std::move(message)});
}

}  // namespace sluice::rules
