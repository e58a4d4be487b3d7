// Aim: events are kept, counted, logged without keys, and handed on. Method: a log whose lines are caught.
#include "observe/events.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "observe/log.h"
#include "support/virtual_loop.h"

namespace sluice::observe {
namespace {

class Lines final : public LineSink {
 public:
  explicit Lines(std::vector<std::string>& lines) : lines_(lines) {}
  void write(std::string_view line) override { lines_.emplace_back(line); }

 private:
  std::vector<std::string>& lines_;
};

struct Heard final : EventSink {
  void on_event(const Event& event) override { kinds.push_back(event.kind); }
  std::vector<std::string> kinds;
};

class EventsTest : public testing::Test {
 protected:
  test::ManualClock clock_;
  std::vector<std::string> lines_;
  Log log_{clock_, std::make_unique<Lines>(lines_), {}};
  Events events_{clock_, log_};
};

TEST_F(EventsTest, LogsTheHashAndNeverTheKey) {
  events_.raise({.level = Level::warn,
                 .kind = "key_denied",
                 .message = "a key is denied too often",
                 .rule = "r",
                 .key = "user=ann",
                 .count = 700,
                 .key_hash = "#12345678"});
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].substr(lines_[0].find(' ') + 1),
            "warn event kind=key_denied what=\"a key is denied too often\" rule=r key=#12345678 count=700");
  EXPECT_EQ(events_.recent().front().time, clock_.wall_now());
  EXPECT_EQ(events_.recent().front().key, "user=ann");
}

TEST_F(EventsTest, DoesNotSayTwiceWhatTheLogHas) {
  events_.raise({.kind = "reloaded", .message = "m"}, Events::Logged::yes);
  EXPECT_TRUE(lines_.empty());
  EXPECT_EQ(events_.recent().size(), 1U);
}

TEST_F(EventsTest, KeepsTheLastFewAndCountsAll) {
  for (int i = 0; i < 120; ++i) events_.raise({.kind = "eviction", .message = std::to_string(i)});
  EXPECT_EQ(events_.recent().size(), Events::kKept);
  EXPECT_EQ(events_.recent().front().message, "119");
  EXPECT_EQ(events_.recent().back().message, "70");
  EXPECT_EQ(events_.count(5), 120U);
  EXPECT_EQ(events_.count(0), 0U);
  EXPECT_LE(lines_.size(), 20U);  // never a flood
}

TEST_F(EventsTest, HandsEachToTheSink) {
  Heard heard;
  events_.set_sink(&heard);
  events_.raise({.kind = "shard_lost", .message = "m"});
  events_.set_sink(nullptr);
  events_.raise({.kind = "shard_back", .message = "m"});
  EXPECT_EQ(heard.kinds, (std::vector<std::string>{"shard_lost"}));
}

}  // namespace
}  // namespace sluice::observe
