#include "ctl/dashboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ctl/screen.h"
#include "ctl/stats_view.h"
#include "ctl/units.h"

namespace sluice::ctl {
namespace {

namespace json = boost::json;
using Lines = std::vector<Line>;

constexpr std::size_t kKeys = 5;  ///< of each list
constexpr std::size_t kShards = 8;
constexpr std::size_t kEvents = 5;

Style when(bool condition, Style style) {
  return condition ? style : Style::plain;
}

bool some(Number value) {
  return value && *value > 0;
}

void head(Lines& lines, const json::value& stats) {
  Line& line = lines.emplace_back();
  line.add("sluice " + text_at(stats, "/version"), Style::strong)
      .add("  pid " + fmt::format("{:.0f}", number_at(stats, "/pid").value_or(0)) + "  up " +
               span_text(number_at(stats, "/uptime_s")) + "  ",
           Style::quiet);
  const bool healthy = true_at(stats, "/health/healthy");
  const bool well = healthy && true_at(stats, "/health/ready");
  const json::array& shards = list_at(stats, "/store/shards");
  const bool away =
      std::ranges::any_of(shards, [](const auto& shard) { return !true_at(shard, "/serving"); });
  if (!well) {
    line.add((healthy ? "NOT READY: " : "NOT HEALTHY: ") + text_at(stats, "/health/reason"), Style::denied);
  } else if (away) {
    line.add("! STORE AWAY: leases, then on_store_failure, answer", Style::degraded);
  } else {
    line.add("healthy", Style::accent);
  }
  line.add("  " + clock_text(number_at(stats, "/time_ms")), Style::quiet);
}

void rates(Lines& lines, const json::value& stats) {
  const auto rate = [&stats](std::string_view name) {
    return number_at(stats, "/rates/" + std::string(name));
  };
  const Number allowed = rate("allowed");
  const Number denied = rate("denied");
  Line& line = lines.emplace_back();
  line.add("allowed ").add(rate_text(allowed) + "/s", Style::strong);
  line.add("  denied ").add(rate_text(denied) + "/s", when(some(denied), Style::denied));
  const double denials = denied.value_or(0);
  if (denials > 0) line.add(" (" + percent_text(denials / (allowed.value_or(0) + denials)) + ")");
  line.add("  near " + rate_text(rate("near_limit")) + "/s  shadow " + rate_text(rate("shadow_denied")) +
           "/s");
  line.add("  degraded ")
      .add(rate_text(rate("degraded")) + "/s", when(some(rate("degraded")), Style::degraded));
  line.add("  p99 " + micros_text(number_at(stats, "/latency/local/p99_us")) + ", waited " +
           micros_text(number_at(stats, "/latency/waited/p99_us")));
}

void history(Lines& lines, const json::value& stats, const ScreenForm& form) {
  constexpr std::size_t kLabel = 9;
  const std::size_t room = form.columns > 2 * kLabel ? form.columns - (2 * kLabel) : 0;
  const auto add = [&](std::string_view label, std::string_view name, Style style) {
    const std::vector<double> values = numbers_at(stats, "/history/" + std::string(name));
    const double top = values.empty() ? 0 : std::ranges::max(values);
    const std::size_t width = std::min(room, values.size());
    Line& line = lines.emplace_back();
    line.left(label, kLabel, Style::quiet).add(sparkline(values, top, width, form.charset), style);
    line.add(" max " + count_text(top), Style::quiet);
  };
  add("allowed", "allowed", Style::accent);
  add("denied", "denied", Style::denied);
}

void rule_line(Lines& lines, const json::value& rule, const ScreenForm& form) {
  constexpr std::size_t kBar = 10;
  const Number used = number_at(rule, "/used_share");
  const double share = used.value_or(0);
  const double warn_at = number_at(rule, "/warn_at").value_or(0);
  const bool full = share >= 1;
  const bool near = !full && warn_at > 0 && share >= warn_at;
  const Style style = full ? Style::denied : when(near, Style::degraded);
  Line& line = lines.emplace_back();
  line.left(text_at(rule, "/name") + (true_at(rule, "/shadow") ? " (shadow)" : ""), 20, Style::strong)
      .add(" ");
  line.left(text_at(rule, "/limit"), 12).add(" ");
  line.add(bar(share, kBar, form.charset), full || near ? style : Style::accent);
  line.right(percent_text(used), 7, style).add(full ? " full" : near ? " near" : "     ", style);
  line.right(rate_text(number_at(rule, "/allowed_rate")), 10);
  const Number denied = number_at(rule, "/denied_rate");
  line.right(rate_text(denied), 9, when(some(denied), Style::denied));
  line.right(percent_text(number_at(rule, "/blocked_share")), 8);
  line.right(count_text(number_at(rule, "/shadow_denied")), 8);
  const Number degraded = number_at(rule, "/degraded");
  line.right(count_text(degraded), 9, when(some(degraded), Style::degraded));
}

void rules(Lines& lines, const json::value& stats, const ScreenForm& form, std::size_t room) {
  lines.emplace_back();
  const json::array& list = list_at(stats, "/rules");
  if (list.empty()) {
    lines.emplace_back().add("no rules: everything is allowed", Style::quiet);
    return;
  }
  lines.emplace_back()
      .left("RULE", 21, Style::quiet)
      .left("LIMIT", 13, Style::quiet)
      .left("USED, 1 MIN", 22, Style::quiet)
      .right("ALLOWED/S", 10, Style::quiet)
      .right("DENIED/S", 9, Style::quiet)
      .right("BLOCKED", 8, Style::quiet)
      .right("SHADOW", 8, Style::quiet)
      .right("DEGRADED", 9, Style::quiet);
  const std::size_t shown = std::min(list.size(), room);
  for (std::size_t i = 0; i < shown; ++i) rule_line(lines, list[i], form);
  const double more =
      static_cast<double>(list.size() - shown) + number_at(stats, "/rules_omitted").value_or(0);
  if (more > 0) lines.emplace_back().add("and " + count_text(more) + " rules more", Style::quiet);
}

void key_cells(Line& line, const json::array& keys, std::size_t at, std::size_t width, Style style) {
  constexpr std::size_t kNumbers = 20;
  if (at >= keys.size()) return;
  const json::value& key = keys[at];
  line.left(text_at(key, "/rule") + "  " + text_at(key, "/key"), width - kNumbers);
  line.right(count_text(number_at(key, "/count")), 10, style);
  line.right(rate_text(number_at(key, "/rate")), 8).add("  ");
}

void keys(Lines& lines, const json::value& stats, const ScreenForm& form) {
  constexpr std::size_t kNarrowest = 40;
  const json::array& busiest = list_at(stats, "/top/busiest");
  const json::array& denied = list_at(stats, "/top/denied");
  if (busiest.empty() && denied.empty()) return;
  const std::size_t half = std::max(kNarrowest, form.columns / 2);
  lines.emplace_back();
  const auto title = [half](Line& line, std::string_view name) {
    line.left(name, half - 20, Style::quiet)
        .right("COUNT", 10, Style::quiet)
        .right("/S", 8, Style::quiet)
        .add("  ");
  };
  Line& titles = lines.emplace_back();
  title(titles, "BUSIEST KEYS");
  title(titles, "MOST DENIED");
  for (std::size_t i = 0; i < std::min(kKeys, std::max(busiest.size(), denied.size())); ++i) {
    Line& line = lines.emplace_back();
    key_cells(line, busiest, i, half, Style::plain);
    line.go_to(half);
    key_cells(line, denied, i, half, Style::denied);
  }
}

void store(Lines& lines, const json::value& stats) {
  lines.emplace_back();
  lines.emplace_back()
      .left("SHARD", 23, Style::quiet)
      .left("STATE", 14, Style::quiet)
      .right("P50", 9, Style::quiet)
      .right("P99", 9, Style::quiet)
      .right("REQUESTS", 12, Style::quiet)
      .right("ERRORS", 9, Style::quiet)
      .right("TIMEOUTS", 10, Style::quiet)
      .right("GENERATION", 12, Style::quiet);
  const auto millis = [](const json::value& shard, std::string_view name) {
    const Number ms = number_at(shard, name);
    return micros_text(ms ? Number(*ms * 1000) : ms);
  };
  const json::array& shards = list_at(stats, "/store/shards");
  for (std::size_t i = 0; i < std::min(kShards, shards.size()); ++i) {
    const json::value& shard = shards[i];
    const bool serving = true_at(shard, "/serving");
    lines.emplace_back()
        .left(text_at(shard, "/name"), 22, Style::strong)
        .add(" ")
        .left(serving ? "serving" : "! not serving", 14, when(!serving, Style::denied))
        .right(millis(shard, "/p50_ms"), 9)
        .right(millis(shard, "/p99_ms"), 9)
        .right(count_text(number_at(shard, "/requests")), 12)
        .right(count_text(number_at(shard, "/errors")), 9)
        .right(count_text(number_at(shard, "/timeouts")), 10)
        .right(count_text(number_at(shard, "/generation")), 12);
  }
  const auto lease = [&stats](std::string_view name) {
    return number_at(stats, "/leases/" + std::string(name));
  };
  lines.emplace_back()
      .left("LEASES", 23, Style::quiet)
      .add(percent_text(lease("hit_share")) + " from memory, " + count_text(lease("keys")) + " of " +
           count_text(lease("max_keys")) + " keys, " + count_text(lease("waiting")) + " checks waiting, " +
           count_text(lease("evicted")) + " keys evicted");
}

void config(Lines& lines, const json::value& stats) {
  const bool reloaded = !text_at(stats, "/config/last/problem").empty();
  if (!reloaded) return;
  lines.emplace_back()
      .left("CONFIG", 23, Style::quiet)
      .add("! the last reload was refused: " + text_at(stats, "/config/last/problem"), Style::degraded);
}

void events(Lines& lines, const json::value& stats) {
  const json::array& list = list_at(stats, "/events");
  if (list.empty()) return;
  lines.emplace_back();
  for (std::size_t i = 0; i < std::min(kEvents, list.size()); ++i) {
    const json::value& event = list[i];
    const std::string level = text_at(event, "/level");
    const Style style = level == "error" ? Style::denied : when(level == "warn", Style::degraded);
    Line& line = lines.emplace_back();
    line.add(clock_text(number_at(event, "/time_ms")), Style::quiet)
        .add(level == "info" ? "   " : " ! ", style);
    line.left(text_at(event, "/kind"), 15, style).add(" " + text_at(event, "/message"));
    for (const std::string_view name : {"/rule", "/key"}) {
      const std::string text = text_at(event, name);
      if (!text.empty()) line.add("  " + std::string(name.substr(1)) + " " + text, Style::quiet);
    }
  }
}

}  // namespace

Result<std::string> dashboard(std::string_view stats, const ScreenForm& form) {
  boost::system::error_code error;
  const json::value document = json::parse(json::string_view(stats.data(), stats.size()), error);
  if (error || !document.is_object()) return failure("the answer of /v1/stats is not a JSON object");
  constexpr std::size_t kOthers = 26;  // the lines of all but rules, when each list is full
  constexpr std::size_t kFewest = 3;
  const std::size_t room = form.rows == 0 ? list_at(document, "/rules").size()
                                          : std::max(kFewest, form.rows > kOthers ? form.rows - kOthers : 0);
  Lines lines;
  head(lines, document);
  rates(lines, document);
  history(lines, document, form);
  rules(lines, document, form, room);
  keys(lines, document, form);
  store(lines, document);
  config(lines, document);
  events(lines, document);
  if (form.rows > 0 && lines.size() > form.rows)
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(form.rows), lines.end());
  std::string out;
  for (const Line& line : lines) out += line.text(form) + "\n";
  return out;
}

}  // namespace sluice::ctl
