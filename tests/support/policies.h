// Policies for tests, from rules in a line each.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rules/policy.h"
#include "rules/spec.h"

namespace sluice::test {

/// A rule that matches any value of each of these descriptors.
inline rules::RuleSpec rule(std::string name, const std::vector<std::string>& descriptors,
                            std::string limit) {
  rules::RuleSpec spec;
  spec.name = std::move(name);
  for (const std::string& descriptor : descriptors) {
    spec.match.push_back({.descriptor = descriptor, .patterns = {"*"}});
  }
  spec.limit = std::move(limit);
  return spec;
}

inline std::shared_ptr<const rules::Policy> policy(std::vector<rules::RuleSpec> list,
                                                   std::vector<rules::BypassSpec> bypass = {}) {
  rules::PolicySpec spec;
  spec.rules = std::move(list);
  spec.bypass = std::move(bypass);
  auto compiled = rules::compile(spec);
  if (!compiled) throw std::runtime_error(compiled.error().field + ": " + compiled.error().message);
  return *std::move(compiled);
}

}  // namespace sluice::test
