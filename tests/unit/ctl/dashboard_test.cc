// Aim: the picture of `top` tells what the document does, fits the terminal, and survives any document.
// Method: small documents, and one made hostile.
#include "ctl/dashboard.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

#include "ctl/screen.h"

namespace sluice::ctl {
namespace {

constexpr std::string_view kBusy = R"({"version":"0.1.0","pid":7,"uptime_s":200,"time_ms":1800000000000,
  "health":{"healthy":true,"ready":true,"reason":""},
  "rates":{"allowed":90,"denied":10,"near_limit":0,"shadow_denied":0,"degraded":2.5},
  "latency":{"local":{"p99_us":41},"waited":{"p99_us":null}},
  "history":{"allowed":[0,5,10],"denied":[0,0,3]},
  "rules":[{"name":"login","limit":"5/minute","used_share":1,"warn_at":0.8,"allowed_rate":3.1,"denied_rate":10,
            "blocked_share":0.76,"shadow_denied":0,"degraded":4,"shadow":false},
           {"name":"tried","limit":"9/day","used_share":0.9,"warn_at":0.8,"shadow":true},
           {"name":"calm","limit":"1/s","used_share":null}],
  "top":{"busiest":[{"rule":"login","key":"ip=1","count":1234,"rate":20}],"denied":[]},
  "leases":{"keys":5,"max_keys":10,"hit_share":0.9974,"waiting":0,"evicted":0},
  "store":{"shards":[{"name":"redis-a","serving":true,"p50_ms":0.4,"p99_ms":1.9},{"name":"redis-b","serving":false}]},
  "config":{"last":{"ok":false,"problem":"line 4: no"}},
  "events":[{"time_ms":1800000000000,"level":"error","kind":"shard_lost","message":"redis-b is away","key":null}]})";

std::string drawn(std::string_view stats, const ScreenForm& form = {}) {
  return dashboard(stats, form).value();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The line that begins so.
std::string line_of(const std::string& text, std::string_view start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) return line;
  }
  return "";
}

TEST(Dashboard, TellsWhatIsGoingOn) {
  const std::string text = drawn(kBusy);
  EXPECT_TRUE(text.starts_with("sluice 0.1.0  pid 7  up 3 min  ! STORE AWAY")) << text;
  EXPECT_TRUE(has(
      text, "allowed 90/s  denied 10/s (10 %)  near 0/s  shadow 0/s  degraded 2.5/s  p99 41 us, waited -"));
  EXPECT_EQ(
      line_of(text, "login"),
      "login                5/minute     ##########  100 % full       3.1       10    76 %       0        4");
  EXPECT_TRUE(has(line_of(text, "tried (shadow)"), "#########.   90 % near")) << text;
  EXPECT_TRUE(has(line_of(text, "calm"), "..........      -"));
  EXPECT_TRUE(has(text, "login  ip=1")) << text;
  EXPECT_TRUE(has(line_of(text, "redis-a"), "serving          400 us   1.9 ms"));
  EXPECT_TRUE(has(line_of(text, "redis-b"), "! not serving"));
  EXPECT_TRUE(has(text, "99.74 % from memory, 5 of 10 keys"));
  EXPECT_TRUE(has(text, "! the last reload was refused: line 4: no"));
  EXPECT_TRUE(has(text, " ! shard_lost      redis-b is away\n")) << text;
  EXPECT_FALSE(has(text, "\x1b"));
}

TEST(Dashboard, StatesAreInWordsAndColoursComeOnTop) {
  const std::string text = drawn(kBusy, {.columns = 120, .colour = Colour::on});
  EXPECT_TRUE(has(text, "\x1b[1;31m! not serving\x1b[0m")) << text;
  EXPECT_TRUE(has(text, "\x1b[33m! STORE AWAY"));
}

TEST(Dashboard, SickDaemonsSayWhy) {
  EXPECT_TRUE(
      has(drawn(R"({"health":{"healthy":true,"ready":false,"reason":"draining"}})"), "NOT READY: draining"));
  EXPECT_TRUE(
      has(drawn(R"({"health":{"healthy":false,"ready":true,"reason":"stuck"}})"), "NOT HEALTHY: stuck"));
}

TEST(Dashboard, FitsTheTerminal) {
  for (const std::size_t columns : {0U, 1U, 10U, 40U, 80U, 200U}) {
    for (const std::size_t rows : {1U, 5U, 24U, 60U}) {
      std::istringstream lines(drawn(kBusy, {.columns = columns, .rows = rows, .charset = Charset::utf8}));
      std::size_t count = 0;
      for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(characters(line), columns) << line;
      EXPECT_LE(count, rows);
    }
  }
}

TEST(Dashboard, ManyRulesLeaveRoomForTheRest) {
  std::string stats =
      R"({"rules_omitted":2,"store":{"shards":[{"name":"redis-a","serving":true}]},"rules":[)";
  for (int i = 0; i < 100; ++i)
    stats += std::string(i == 0 ? "" : ",") + R"({"name":"r)" + std::to_string(i) + "\"}";
  const std::string text = drawn(stats + "]}", {.columns = 120, .rows = 40});
  EXPECT_TRUE(has(text, "\nr13 ")) << text;
  EXPECT_FALSE(has(text, "\nr14 "));
  EXPECT_TRUE(has(text, "and 88 rules more\n"));
  EXPECT_TRUE(has(text, "\nredis-a "));
}

TEST(Dashboard, StrangersCannotWriteToTheTerminal) {
  const std::string text = drawn(
      "{\"version\":\"\\u001b[2J\",\"rules\":[{\"name\":\"a\\nb\\u009b31m\",\"limit\":\"\\u0007\"}],\"top\":{"
      "\"busiest\":"
      "[{\"rule\":\"\\r\",\"key\":\"\\u001b]0;x\\u0007\"}],\"denied\":[]},\"events\":[{\"message\":\"\\u001b["
      "31m\"}]}",
      {.columns = 200});
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c < '\x7f')) << static_cast<int>(c);
}

TEST(Dashboard, AnyDocumentIsSurvived) {
  EXPECT_FALSE(dashboard("", {}));
  EXPECT_FALSE(dashboard("[]", {}));
  EXPECT_FALSE(dashboard("{", {}));
  EXPECT_FALSE(dashboard(std::string(100'000, '['), {}));
  EXPECT_TRUE(has(drawn("{}"), "no rules: everything is allowed"));
  EXPECT_TRUE(dashboard(
      R"({"rules":{"a":1},"history":{"allowed":"x","denied":[null,"a",1e308]},"store":{"shards":[1,null,[]]},"top":5,
          "events":[[],{"time_ms":-1e300,"level":7}],"uptime_s":1e300,"time_ms":1e300,"pid":"x","rates":[]})",
      {}));
  for (std::size_t cut = 0; cut < kBusy.size(); ++cut)
    EXPECT_FALSE(dashboard(kBusy.substr(0, cut), {})) << cut;
}

}  // namespace
}  // namespace sluice::ctl
