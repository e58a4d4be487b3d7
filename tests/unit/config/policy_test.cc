// Aim: what rules/ refuses is reported at the line and column of the offending value, once for each broken
// rule. Method: files with several broken rules; the place and the beginning of each text are compared, as
// the rest of the text belongs to rules/.
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>

#include "problems.h"

namespace sluice::config {
namespace {

void expect_beginnings(std::string_view toml, const Texts& beginnings) {
  const Texts texts = problems(toml);
  ASSERT_EQ(texts.size(), beginnings.size()) << testing::PrintToString(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(texts[i].starts_with(beginnings[i])) << texts[i] << "\nwanted: " << beginnings[i];
  }
}

TEST(PolicyFaults, OneForEachBrokenRule) {
  expect_beginnings(R"([[rule]]
name = "rate"
limit = "5/fortnight"

[[rule]]
name = "good"
limit = "5/s"

[[rule]]
name = "burst"
limit = "5/s"
algorithm = "fixed_window"
burst = 10

[[rule]]
name = "not a name"
limit = "5/s"

[[rule]]
name = "key"
match = { user = "*" }
limit = "5/s"
key = ["usr"]

[[rule]]
name = "zone"
limit = "5/day"
algorithm = "fixed_window"
timezone = "Europe/Atlantis"
)",
                    {"sluice.toml:3:9: limit: \"5/fortnight\" is not a rate", "sluice.toml:13:9: burst: ",
                     "sluice.toml:16:8: name: ", "sluice.toml:23:7: key: ", "sluice.toml:29:12: timezone: "});
}

TEST(PolicyFaults, PatternsAndOverridesAndBypasses) {
  expect_beginnings(R"([[rule]]
name = "cidr"
match = { ip = ["::1", "10.0.0.1/8"] }
limit = "5/s"

[[rule]]
name = "override"
match = { user = "*" }
limit = "5/s"
override = [
  { match = { user = "a" }, limit = "5/s" },
  { match = { user = "b" }, limit = "much" },
]

[[rule]]
name = "dots"
limit = "5/s"
match = { "a.b" = [] }

[[bypass]]
match = { path = "/health" }
[[bypass]]
match = { path = "\\" }
)",
                    {"sluice.toml:3:16: match.ip: ", "sluice.toml:12:37: limit: ",
                     "sluice.toml:18:19: match.a.b: ", "sluice.toml:23:18: match.path: "});
}

TEST(PolicyFaults, RulesWithOtherFaultsAreNotCompiled) {
  // The limit would be refused, too, but only because the algorithm is not what was meant.
  expect_beginnings("[[rule]]\nname = \"a\"\nlimit = \"5/month\"\nalgoritm = \"fixed_window\"\n",
                    {"sluice.toml:4:1: unknown key \"algoritm\""});
  // The bypass would be an exact text, not a block.
  expect_beginnings("[address]\ndescriptors = 5\n[[bypass]]\nmatch = { ip = \"10.0.0.1/8\" }\n",
                    {"sluice.toml:2:15: descriptors must be"});
}

TEST(PolicyFaults, StandAmongTheOthersInOrderOfPlace) {
  expect_beginnings(
      "[[rule]]\nname = \"a\"\nlimit = \"5\"\n[server]\nsocket = 1\n[[rule]]\nname = \"b\"\nlimit = \"x\"\n",
      {"sluice.toml:3:9: limit: ", "sluice.toml:5:10: socket ", "sluice.toml:8:9: limit: "});
}

TEST(PolicyFaults, OfAddressesComeAlone) {
  expect_beginnings("[address]\ndescriptors = [\"\"]\n[[rule]]\nname = \"a\"\nlimit = \"x\"\n",
                    {"sluice.toml:2:15: descriptors: "});
}

}  // namespace
}  // namespace sluice::config
