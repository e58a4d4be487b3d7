// Aim: [lease], and what a rule says of leases, arrive as written; faults are told at their place, also those
// that show only when the two are taken together. Method: a table of bad files with their exact texts; both
// ways to write a rule's lease.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/load.h"
#include "problems.h"
#include "rules/spec.h"

namespace sluice::config {
namespace {

const std::string kRule = "[[rule]]\nname = \"per-user\"\nlimit = \"5/s\"\n";

struct BadFile {
  std::string toml;
  Texts expected;
};

void expect_texts(const std::vector<BadFile>& files) {
  for (const BadFile& file : files) EXPECT_EQ(problems(file.toml), file.expected) << file.toml;
}

TEST(Lease, OfARuleInOneLineOrAsATable) {
  const std::string other = "[[rule]]\nname = \"other\"\nlimit = \"5/s\"\n";
  const auto in_line = load_text(kRule + "lease = { min = 3, slack = 1 }\n" + other, "sluice.toml");
  const auto table = load_text(kRule + "[rule.lease]\nmin = 3\nslack = 1\n" + other, "sluice.toml");
  ASSERT_TRUE(in_line && table);
  rules::LeaseSpec expected;
  expected.min = 3;
  expected.slack = 1;
  EXPECT_EQ(in_line->settings.policy.rules.at(0).lease, expected);
  EXPECT_EQ(table->settings.policy.rules.at(0).lease, expected);
  EXPECT_EQ(in_line->settings.policy.rules.at(1).lease, rules::LeaseSpec{});
  EXPECT_EQ(table->settings.policy.rules.at(1).lease, rules::LeaseSpec{});
}

TEST(Lease, BothEndsOfTheRangesBelongToThem) {
  EXPECT_EQ(problems("[lease]\ntarget = \"10ms\"\nttl = \"1h\"\nslack = 1.0\nmin = 1_000_000_000\n"
                     "max = 1_000_000_000\ninitial = 1_000_000\n"),
            Texts{});
  EXPECT_EQ(
      problems("[lease]\ntarget = \"1h\"\nttl = \"10ms\"\nslack = 0.001\nmin = 1\nmax = 1\ninitial = 0\n"),
      Texts{});
}

TEST(Lease, FaultsOfTheSection) {
  expect_texts({
      {"[lease]\ntarget = \"9ms\"\n", {"sluice.toml:2:10: target is 9ms; it must be from 10ms to 1h"}},
      {"[lease]\ntarget = 1\n",
       {R"(sluice.toml:2:10: target must be a duration such as "250ms", "10s" or "5m", not an integer)"}},
      {"[lease]\nttl = \"2h\"\n", {"sluice.toml:2:7: ttl is 2h; it must be from 10ms to 1h"}},
      {"[lease]\nslack = 0\n", {"sluice.toml:2:9: slack is 0; it must be a number above 0 and up to 1"}},
      {"[lease]\nmin = 0\n", {"sluice.toml:2:7: min is 0; it must be from 1 to 1000000000"}},
      {"[lease]\nmax = 1000000001\n",
       {"sluice.toml:2:7: max is 1000000001; it must be from 1 to 1000000000"}},
      {"[lease]\ninitial = -1\n", {"sluice.toml:2:11: initial is -1; it must be from 0 to 1000000"}},
      {"[lease]\nmode = \"exact\"\n", {R"(sluice.toml:2:1: unknown key "mode" in [lease])"}},
      {"[lease]\ntarjet = \"1s\"\n",
       {R"(sluice.toml:2:1: unknown key "tarjet" in [lease]; did you mean "target"?)"}},
      {"lease = 5\n", {"sluice.toml:1:9: lease must be a table, written [lease], not an integer"}},
      {"[lease]\nmin = 1001\n", {"sluice.toml:2:7: min: 1001 is above the max of 1000"}},
      {"[lease]\nmax = 5\nmin = 6\n", {"sluice.toml:3:7: min: 6 is above the max of 5"}},
      {"[lease]\ninitial = 6\nmax = 5\n", {"sluice.toml:2:11: initial: 6 is above the max of 5"}},
  });
}

TEST(Lease, FaultsOfARule) {
  expect_texts({
      {kRule + "lease = { maxx = 200 }\n",
       {R"(sluice.toml:4:11: unknown key "maxx" in lease of [[rule]] "per-user"; did you mean "max"?)"}},
      {kRule + "[rule.lease]\nmaxx = 200\n",
       {R"(sluice.toml:5:1: unknown key "maxx" in lease of [[rule]] "per-user"; did you mean "max"?)"}},
      {kRule + "mode = \"exat\"\n",
       {R"(sluice.toml:4:8: unknown mode "exat"; known: "leased", "exact"; did you mean "exact"?)"}},
      {kRule + "leese = {}\n",
       {R"(sluice.toml:4:1: unknown key "leese" in [[rule]] "per-user"; did you mean "lease"?)"}},
      {kRule + "lease = 5\n",
       {"sluice.toml:4:9: lease must be a table, written [rule.lease], not an integer"}},
      {kRule + "lease = { ttl = \"5ms\", max = 0 }\n",
       {"sluice.toml:4:17: ttl is 5ms; it must be from 10ms to 1h",
        "sluice.toml:4:30: max is 0; it must be from 1 to 1000000000"}},
      {kRule + "lease = { slack = 1.5 }\n",
       {"sluice.toml:4:19: slack is 1.5; it must be a number above 0 and up to 1"}},
      {kRule + "lease = { min = 1001 }\n",
       {"sluice.toml:4:17: lease.min: 1001 is above the max of 1000 that [lease] gives"}},
      {kRule + "[rule.lease]\ninitial = 9\nmax = 8\n",
       {"sluice.toml:5:11: lease.initial: 9 is above the max of 8"}},
      {"[lease]\nmin = 50\n" + kRule + "lease = { max = 49 }\n",
       {"sluice.toml:6:17: lease.max: 49 is below the min of 50 that [lease] gives"}},
      // A rule with a fault is not compiled, the next one is.
      {kRule + "lease = { maxx = 1, min = 2000 }\n[[rule]]\nname = \"b\"\nlimit = 0\nlease.min = 2000\n",
       {R"(sluice.toml:4:11: unknown key "maxx" in lease of [[rule]] "per-user"; did you mean "max"?)",
        "sluice.toml:8:13: lease.min: 2000 is above the max of 1000 that [lease] gives"}},
  });
}

TEST(Lease, AWrongSectionIsNotHeldAgainstTheRules) {
  expect_texts({
      {"[lease]\nmax = \"5000\"\n" + kRule +
           "lease = { min = 2000 }\nalgorithm = \"fixed_window\"\nburst = 9\n",
       {"sluice.toml:2:7: max must be an integer, not a string",
        "sluice.toml:8:9: burst: only token_bucket has a burst; fixed_window admits exactly its limit in "
        "each window"}},
  });
}

}  // namespace
}  // namespace sluice::config
