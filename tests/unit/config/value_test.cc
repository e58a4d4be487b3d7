// Aim: the extremes of each type reach the field unchanged. Method: one file for each, the field compared;
// bounds are printed as they are written.
#include "config/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/document.h"
#include "config/load.h"
#include "config/settings.h"
#include "config/table.h"

namespace sluice::config {
namespace {

using namespace std::chrono_literals;

Settings load(const std::string& toml) {
  auto config = load_text(toml, "sluice.toml");
  EXPECT_TRUE(config) << config.error().at(0).text();
  return config ? config->settings : Settings{};
}

TEST(Values, BothEndsOfARangeBelongToIt) {
  EXPECT_EQ(load("[server]\nmax_wait = \"1ms\"\n").server.max_wait, 1ms);
  EXPECT_EQ(load("[server]\nmax_wait = \"10s\"\n").server.max_wait, 10s);
  EXPECT_EQ(load("[server]\nsocket_mode = \"0000\"\n").server.socket_mode, 0U);
  EXPECT_EQ(load("[server]\nsocket_mode = \"777\"\n").server.socket_mode, 0777U);
  EXPECT_EQ(load("[server]\nsocket_gid = 4294967294\n").server.socket_gid, 4294967294);
  EXPECT_EQ(load("[store]\nmax_keys = 100_000_000\n").store.max_keys, 100'000'000);
  EXPECT_EQ(load("[address]\nipv6_prefix = 128\n").policy.ipv6_prefix, 128);
}

TEST(Values, LimitIsTextOrZero) {
  EXPECT_EQ(load("[[rule]]\nname = \"a\"\nlimit = 0\n").policy.rules.at(0).limit, "0");
  EXPECT_EQ(load("[[rule]]\nname = \"a\"\nlimit = \"unlimited\"\n").policy.rules.at(0).limit, "unlimited");
}

TEST(Values, ShareMayBeAnInteger) {
  EXPECT_EQ(load("[[rule]]\nname = \"a\"\nlimit = 0\nwarn_at = 1\n").policy.rules.at(0).warn_at, 1.0);
}

TEST(Values, EmptyKeyIsNotAnAbsentOne) {
  const std::vector<std::string> none;
  EXPECT_EQ(load("[[rule]]\nname = \"a\"\nlimit = 0\nkey = []\n").policy.rules.at(0).key, none);
  EXPECT_EQ(load("[[rule]]\nname = \"a\"\nlimit = 0\n").policy.rules.at(0).key, std::nullopt);
}

TEST(Values, AFaultyValueLeavesTheField) {
  const Setting* const setting = find_setting("server", "max_connections");
  ASSERT_NE(setting, nullptr);
  std::int64_t field = 7;
  Faults faults;
  read_value(*setting, Value{{3, 4}, std::int64_t{0}}, &field, faults);
  EXPECT_EQ(field, 7);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].place, (Place{3, 4}));
  read_value(*setting, Value{{3, 4}, std::int64_t{8}}, &field, faults);
  EXPECT_EQ(field, 8);
  EXPECT_EQ(faults.size(), 1U);
}

TEST(Values, BoundsAreShownAsTheyAreWritten) {
  EXPECT_EQ(format_bound(Type::integer, 4096), "4096");
  EXPECT_EQ(format_bound(Type::duration, Duration(10min).count()), "10m");
  EXPECT_EQ(format_bound(Type::mode, 0), "0000");
  EXPECT_EQ(format_bound(Type::mode, 0777), "0777");
}

}  // namespace
}  // namespace sluice::config
