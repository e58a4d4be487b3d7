// Aim: an event is one line of JSON with every member, whatever bytes its texts hold. Method: events and
// their exact texts.
#include "observe/event_json.h"

#include <gtest/gtest.h>

#include "base/time.h"
#include "observe/events.h"
#include "observe/log.h"

namespace sluice::observe {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kTime{1'800'000'000'123ms + 999us};

TEST(EventJson, whole) {
  EXPECT_EQ(
      event_json({.time = kTime,
                  .level = Level::warn,
                  .kind = "key_denied",
                  .message = "a key is denied often",
                  .rule = "per-user",
                  .key = "#0a1b2c3d",
                  .count = 601}),
      R"({"time_ms":1800000000123,"level":"warn","kind":"key_denied","message":"a key is denied often",)"
      R"("rule":"per-user","key":"#0a1b2c3d","count":601})");
}

TEST(EventJson, what_is_missing_is_null) {
  EXPECT_EQ(event_json({.time = kTime, .level = Level::error, .kind = "shard_lost", .message = "lost"}),
            R"({"time_ms":1800000000123,"level":"error","kind":"shard_lost","message":"lost",)"
            R"("rule":null,"key":null,"count":null})");
}

TEST(EventJson, bytes_that_are_no_text) {
  EXPECT_EQ(event_json({.time = kTime, .kind = "k", .message = "a\n\"b\"", .key = "user=\xff\x00"}),
            R"({"time_ms":1800000000123,"level":"info","kind":"k","message":"a\\x0a\"b\"",)"
            R"("rule":null,"key":"user=\\xff","count":null})");
}

}  // namespace
}  // namespace sluice::observe
