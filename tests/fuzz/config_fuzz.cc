// Fuzzes the loader of the configuration. Promises: a text loads, or every problem has a place within it and
// one printable line, in order; what loads has a policy and needs no restart from itself; the same text gives
// the same each time.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

#include "base/assert.h"
#include "config/document.h"
#include "config/load.h"
#include "config/reader.h"
#include "fuzz/fuzz.h"

namespace sluice::fuzz {
namespace {

using namespace config;

void check_problems(const Problems& problems, std::string_view text) {
  SLUICE_ASSERT(!problems.empty());
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  for (const Problem& problem : problems) {
    SLUICE_ASSERT(problem.line > 0 && problem.line <= lines && problem.column > 0);
    SLUICE_ASSERT(!problem.message.empty());
    for (const char c : problem.message) SLUICE_ASSERT(static_cast<unsigned char>(c) >= ' ');
  }
  SLUICE_ASSERT(std::ranges::is_sorted(
      problems, {}, [](const Problem& problem) { return std::tuple(problem.line, problem.column); }));
}

std::string texts_of(const Problems& problems) {
  std::string texts;
  for (const Problem& problem : problems) texts += problem.text() + "\n";
  return texts;
}

}  // namespace

void run(std::string_view bytes) {
  const auto document = parse_document(bytes);
  if (!document) SLUICE_ASSERT(!document.error().message.empty() && document.error().place.line > 0);
  const auto loaded = load_text(bytes, "fuzz.toml");
  const auto again = load_text(bytes, "fuzz.toml");
  SLUICE_ASSERT(loaded.has_value() == again.has_value());
  if (!loaded) {
    check_problems(loaded.error(), bytes);
    SLUICE_ASSERT(texts_of(loaded.error()) == texts_of(again.error()));
    return;
  }
  SLUICE_ASSERT(document && read_document(*document).faults.empty());
  SLUICE_ASSERT(loaded->policy != nullptr);
  SLUICE_ASSERT(loaded->policy->rule_count() == loaded->settings.policy.rules.size());
  SLUICE_ASSERT(needs_restart(loaded->settings, again->settings).empty());
}

}  // namespace sluice::fuzz
