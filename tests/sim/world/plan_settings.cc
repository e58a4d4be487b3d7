#include "sim/world/plan_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/time.h"
#include "config/table.h"
#include "sim/check/limits.h"
#include "sim/core/draw.h"
#include "sim/world/plan.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

/// A drawn value lies within so many times the default and so many parts of it.
constexpr std::int64_t kSpread = 8;

struct Name {
  std::string_view section;
  std::string_view key;
};
/// Files, names and addresses are not drawn, nor is what only the operating system would notice.
constexpr std::array<Name, 9> kDrawn = {{{"server", "max_wait"},
                                         {"server", "request_timeout"},
                                         {"lease", "target"},
                                         {"lease", "ttl"},
                                         {"lease", "slack"},
                                         {"lease", "max"},
                                         {"store.redis", "connect_timeout"},
                                         {"store.redis", "timeout"},
                                         {"store.redis", "repair_timeout"}}};

/// The default in TOML: "20ms" with its quotes, 1000, 0.25.
std::int64_t default_of(const config::Setting& setting) {
  std::string_view text = setting.literal;
  if (setting.type == config::Type::duration) {
    const auto duration = parse_duration(text.substr(1, text.size() - 2));
    SLUICE_ASSERT(duration);
    return duration->count();
  }
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Whole milliseconds: what people write.
std::int64_t draw_number(Draw& draw, const config::Setting& setting) {
  const std::int64_t usual = default_of(setting);
  const std::int64_t least = std::max({setting.bounds.min, usual / kSpread, std::int64_t{1}});
  const std::int64_t most = std::min(setting.bounds.max, usual * kSpread);
  const std::int64_t value = draw.log_between(least, most);
  if (setting.type != config::Type::duration) return value;
  return std::max(Duration(1ms), Duration(value) / 1ms * Duration(1ms)).count();
}

struct Line {
  std::string text;
  std::int64_t number = 0;
};
Line draw_line(Draw& draw, const config::Setting& setting) {
  const bool usual = draw.one_in(2);
  const std::int64_t number = usual ? default_of(setting) : draw_number(draw, setting);
  if (setting.type == config::Type::duration) {
    return {.text = fmt::format("{} = \"{}\"", setting.key, format_duration(Duration(number))),
            .number = number};
  }
  return {.text = fmt::format("{} = {}", setting.key, number), .number = number};
}

void append_section(std::string& out, const Plan& plan, std::string_view section) {
  const std::string start = std::string(section) + "/";
  for (const std::string& line : plan.settings) {
    if (line.starts_with(start)) out += line.substr(start.size()) + "\n";
  }
}

std::string_view word_of(LimitFacts::Algorithm algorithm) {
  switch (algorithm) {
    case LimitFacts::Algorithm::fixed_window:
      return "fixed_window";
    case LimitFacts::Algorithm::sliding_log:
      return "sliding_window_log";
    case LimitFacts::Algorithm::sliding_counter:
      return "sliding_window_counter";
    case LimitFacts::Algorithm::token_bucket:
      break;
  }
  return "token_bucket";
}

std::string_view word_of(OnFailure policy) {
  if (policy == OnFailure::allow) return "allow";
  return policy == OnFailure::deny ? "deny" : "share";
}

std::string_view word_of(Shape shape) {
  static constexpr std::array<std::string_view, 4> kWords = {"single", "shards", "sentinel", "cluster"};
  return kWords[static_cast<std::size_t>(shape)];
}

void append_store(std::string& out, const Plan& plan) {
  out += fmt::format("[store]\nkind = \"redis\"\n");
  append_section(out, plan, "store");
  out += fmt::format("[store.redis]\ntopology = \"{}\"\nshards = [", word_of(plan.shape));
  for (std::size_t group = 0; group < plan.groups; ++group) {
    const std::string address = fmt::format("{}:{}", server_name(group, 0), kServerPort);
    if (group > 0) out += ", ";
    switch (plan.shape) {
      case Shape::shards:
        out += fmt::format("\"{}={}\"", group_name(group), address);
        break;
      case Shape::sentinel:
        out += fmt::format("\"{}\"", group_name(group));
        break;
      default:
        out += fmt::format("\"{}\"", address);
        break;
    }
  }
  out += "]\n";
  if (plan.sentinels > 0) {
    out += "sentinels = [";
    for (std::size_t i = 0; i < plan.sentinels; ++i)
      out += fmt::format("{}\"{}:{}\"", i > 0 ? ", " : "", sentinel_name(i), kSentinelPort);
    out += "]\n";
  }
  if (plan.passwords) out += "password_file = \"/etc/sluice/redis-password\"\n";
  append_section(out, plan, "store.redis");
}

void append_rule(std::string& out, const RulePlan& rule, std::size_t version) {
  const LimitFacts& limit = rule.limit[version];
  out += fmt::format("[[rule]]\nname = \"{0}\"\nmatch = {{ {0} = \"*\" }}\nlimit = \"{1}/{2}\"\n", rule.name,
                     limit.tokens, format_duration(limit.period));
  if (limit.burst > 0) out += fmt::format("burst = {}\n", limit.burst);
  out += fmt::format("algorithm = \"{}\"\non_store_failure = \"{}\"\n", word_of(limit.algorithm),
                     word_of(rule.on_failure));
  if (rule.exact) out += "mode = \"exact\"\n";
}

}  // namespace

double draw_settings(Draw& draw, Plan& plan) {
  double slack = 0.25;
  for (const Name& name : kDrawn) {
    const config::Setting* setting = config::find_setting(name.section, name.key);
    SLUICE_ASSERT(setting != nullptr);
    if (setting->type == config::Type::share) {
      slack = draw.one_in(2) ? 0.25 : static_cast<double>(draw.log_between(5, 100)) / 100;
      plan.settings.push_back(fmt::format("{}/{} = {}", name.section, name.key, slack));
      continue;
    }
    const Line line = draw_line(draw, *setting);
    plan.settings.push_back(fmt::format("{}/{}", name.section, line.text));
    if (name.key == "max_wait") plan.max_wait = Duration(line.number);
    if (name.key == "repair_timeout") plan.repair_timeout = Duration(line.number);
    if (name.key == "ttl") plan.lease_ttl = Duration(line.number);
  }
  if (draw.one_in(8)) {
    // Keys that make room for others are new when they come back.
    plan.settings.push_back(fmt::format("store/max_keys = {}", draw.log_between(2, 40)));
  } else if (draw.one_in(8)) {
    plan.initial = draw.between(1, 3);
    plan.settings.push_back(fmt::format("lease/initial = {}", plan.initial));
  }
  return slack;
}

std::string config_text(const Plan& plan, std::size_t version) {
  std::string out = "[server]\nsocket = \"/run/sluice/sluice.sock\"\n";
  append_section(out, plan, "server");
  append_store(out, plan);
  out += "[lease]\n";
  append_section(out, plan, "lease");
  for (const RulePlan& rule : plan.rules) append_rule(out, rule, version);
  return out;
}

std::string summary_of(const Plan& plan) {
  std::string out = fmt::format("{} × {} of {}, {} daemons × {} apps", word_of(plan.shape), plan.groups,
                                plan.replicas + 1, plan.daemons, plan.apps);
  for (const RulePlan& rule : plan.rules) {
    out +=
        fmt::format(", {}:{}{} {}/{}", rule.name, word_of(rule.limit[0].algorithm),
                    rule.exact ? " exact" : "", rule.limit[0].tokens, format_duration(rule.limit[0].period));
  }
  if (plan.gentle) out += ", gentle failovers";
  return out;
}

}  // namespace sluice::sim
