// The monitor's lists of keys: /v1/top, and those within /v1/stats.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "daemon/monitor.h"
#include "daemon/rule_watch.h"
#include "observe/json.h"
#include "observe/sketch.h"
#include "server/admin/admin_source.h"

namespace sluice::daemon {

using observe::JsonWriter;

void Monitor::write_keys(JsonWriter& json, std::string_view name, const std::vector<Listed>& keys) const {
  json.begin_array(name);
  for (const Listed& listed : keys) {
    json.begin_object();
    json.text("rule", listed.rule->spec.name);
    json.text("key", key_text(*listed.rule, listed.key.key, listed.key.hash));
    json.number("count", listed.key.count);
    json.number("error", listed.key.error);
    json.number("rate", listed.key.rate);
    json.end_object();
  }
  json.end_array();
}

std::vector<Monitor::Listed> Monitor::listed(server::TopBy by, std::string_view rule, std::size_t limit) {
  std::vector<Listed> all;
  for (RuleWatch::Rule& watched : rules_.rules()) {
    if (!rule.empty() && watched.spec.name != rule) continue;
    const auto& sketch = by == server::TopBy::busiest ? watched.busiest : watched.denied;
    if (sketch == nullptr) continue;
    for (observe::TopKey& key : sketch->top(limit, now()))
      all.push_back({.rule = &watched, .key = std::move(key)});
  }
  std::ranges::sort(all, [](const Listed& a, const Listed& b) {
    if (a.key.count != b.key.count) return a.key.count > b.key.count;
    return a.rule != b.rule ? a.rule < b.rule : a.key.key < b.key.key;
  });
  if (all.size() > limit) all.resize(limit);
  return all;
}

Result<std::string> Monitor::top(const server::TopQuery& query) {
  const bool known = query.rule.empty() || std::ranges::any_of(rules_.rules(), [&](const auto& rule) {
                       return rule.spec.name == query.rule;
                     });
  if (!known) return failure("no rule is watched that has the name \"" + printable(query.rule) + "\"");
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.text("by", query.by == server::TopBy::busiest ? "busiest" : "denied");
  json.text_or_null("rule", query.rule.empty() ? std::nullopt : std::optional(query.rule));
  json.number(
      "window_s",
      std::int64_t{std::chrono::floor<std::chrono::seconds>(2 * observe::Sketch::kHalfWindow).count()});
  write_keys(json, "keys", listed(query.by, query.rule, query.limit));
  json.end_object();
  return out;
}

}  // namespace sluice::daemon
