// Aim: lines are complete, safe to parse, and never a flood. Method: exact lines on a manual clock.
#include "observe/log.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/virtual_loop.h"

namespace sluice::observe {
namespace {

using namespace std::chrono_literals;

struct Lines final : LineSink {
  explicit Lines(std::vector<std::string>& into) : lines(into) {}
  void write(std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string>& lines;
};

constexpr WallTime kTime{1'800'000'000'123ms};

TEST(RenderLine, Text) {
  EXPECT_EQ(render_line(Format::text, kTime, Level::info, "listening",
                        {{"address", "/run/s.sock"}, {"why", "a b"}}),
            "2027-01-15T08:00:00.123Z info listening address=/run/s.sock why=\"a b\"");
}

TEST(RenderLine, Json) {
  EXPECT_EQ(
      render_line(Format::json, kTime, Level::error, "bad \"thing\"", {{"value", "x\ny\xff"}}),
      R"({"time":"2027-01-15T08:00:00.123Z","level":"error","message":"bad \"thing\"","value":"x\\x0ay\\xff"})");
}

TEST(RenderLine, AValueCannotForgeALine) {
  const std::string line =
      render_line(Format::text, kTime, Level::warn, "m", {{"v", "x\n2027 error forged a=b"}});
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(Log, KeepsToItsLevel) {
  test::ManualClock clock;
  std::vector<std::string> lines;
  Log log(clock, std::make_unique<Lines>(lines), {.level = Level::warn});
  log.write(Level::info, "quiet");
  log.write(Level::warn, "loud");
  EXPECT_EQ(lines.size(), 1U);
  log.set_level(Level::debug);
  log.write(Level::debug, "quiet");
  EXPECT_EQ(lines.size(), 2U);
}

TEST(Log, CountsWhatItSuppresses) {
  test::ManualClock clock;
  std::vector<std::string> lines;
  Log log(clock, std::make_unique<Lines>(lines), {.max_per_second = 3});
  for (int i = 0; i < 10; ++i) log.write(Level::info, "again");
  log.write(Level::info, "other");
  EXPECT_EQ(lines.size(), 4U);
  clock.advance(1s);
  log.write(Level::info, "again");
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[4].ends_with("again suppressed=7"));
}

}  // namespace
}  // namespace sluice::observe
