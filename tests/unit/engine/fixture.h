// An engine on a manual clock, and somebody to receive its answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "rules/descriptor.h"
#include "store/memory/memory_store.h"
#include "support/policies.h"
#include "support/slow_store.h"
#include "support/virtual_loop.h"

namespace sluice::test {

/// What later answers said, by tag.
struct Inbox final : engine::AnswerSink {
  void on_answer(std::uint64_t tag, const engine::CheckResult& result) override {
    ++answers;
    overall[tag] = result.overall;
    rule[tag] = std::string(result.overall.rule);
    degraded[tag] = false;
    for (const auto& part : result.rules) degraded[tag] = degraded[tag] || part.decision.degraded;
  }
  int answers = 0;
  std::map<std::uint64_t, engine::Decision> overall;
  std::map<std::uint64_t, std::string> rule;
  std::map<std::uint64_t, bool> degraded;
};

/// "user=1 path=/a" as descriptors; values without spaces.
inline std::vector<rules::Descriptor> descriptors(std::string_view text) {
  std::vector<rules::Descriptor> out;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    out.push_back({.name = word.substr(0, word.find('=')), .value = word.substr(word.find('=') + 1)});
  }
  return out;
}

}  // namespace sluice::test
