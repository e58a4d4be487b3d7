// Aim: the promises and the figures that leases must keep, for a fleet: never over the
// limit, exact when it is small, used when it is wanted, few operations. Method: the real lease code of many
// daemons over one embedded store behind a network with random latency, on virtual time; the demand is
// Poisson.
#include "property/lease/fleet.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace sluice::test {
namespace {

using namespace std::chrono_literals;

rules::RuleSpec limit_of(std::string limit, std::string algorithm = "token_bucket",
                         std::string mode = "leased") {
  rules::RuleSpec spec = rule("r", {"user"}, std::move(limit));
  spec.algorithm = std::move(algorithm);
  spec.mode = std::move(mode);
  return spec;
}

std::string describe(Fleet& fleet) {
  return "admitted " + std::to_string(fleet.admitted()) + " denied " + std::to_string(fleet.denied()) +
         " checks " + std::to_string(fleet.checks()) + " operations " +
         std::to_string(fleet.operations_since());
}

TEST(Fleet, ALimitOfFiveLetsExactlyFiveThrough) {
  for (const std::string algorithm :
       {"token_bucket", "fixed_window", "sliding_window_log", "sliding_window_counter"}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Fleet fleet(limit_of("5/minute", algorithm), {.daemons = 3, .seed = seed});
      for (int i = 0; i < 12; ++i) {
        fleet.check(static_cast<std::size_t>(i) % 3, "k");
        fleet.run(seed % 2 == 0 ? 1ms : 100us);
      }
      fleet.run(10ms);
      EXPECT_EQ(fleet.admitted(), 5) << algorithm << " seed " << seed;
      EXPECT_EQ(fleet.open(), 0U);
    }
  }
}

TEST(Fleet, AHammeredWindowIsUsedToTheLastToken) {
  for (const std::string mode : {"leased", "exact"}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      // A day, so that no window ends meanwhile.
      Fleet fleet(limit_of("1000/day", "fixed_window", mode), {.daemons = 3, .seed = seed});
      for (std::size_t daemon = 0; daemon < 3; ++daemon) fleet.demand(daemon, "k", 5'000);
      fleet.run(3s);
      EXPECT_EQ(fleet.admitted(), 1000) << mode << " seed " << seed << " " << describe(fleet);
    }
  }
}

TEST(Fleet, WhatAnIdleDaemonHoldsIsFoundByTheOthers) {
  Fleet fleet(limit_of("1000/day", "fixed_window"), {.daemons = 3});
  fleet.demand(0, "k", 300);
  fleet.run(1s);
  fleet.stop_demand();
  fleet.run(100us);
  EXPECT_GT(fleet.used_in_store("k"), fleet.admitted());
  for (int i = 0; i < 5'000; ++i) {
    fleet.check(1, "k");
    fleet.run(1ms);
  }
  EXPECT_EQ(fleet.admitted(), 1000) << describe(fleet);
}

TEST(Fleet, NoWindowIsEverOverItsLimit) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Fleet fleet(
        limit_of("300/s", "fixed_window"),
        {.daemons = 5,
         .seed = seed,
         .network = {.shortest = 100us, .longest = 5ms * static_cast<int>(seed), .lost_per_mille = 20}});
    for (std::size_t daemon = 0; daemon < 5; ++daemon) fleet.demand(daemon, "k", 200);
    fleet.run(10s);
    std::map<std::int64_t, std::int64_t> windows;
    for (const Admission& admission : fleet.admissions()) {
      // An answer that was under way as the window ended belongs to the window in which it was counted.
      windows[std::chrono::floor<std::chrono::seconds>(admission.wall - 30ms).time_since_epoch().count()] +=
          admission.cost;
    }
    std::int64_t total = 0;
    for (const auto& [window, admitted] : windows) total += admitted;
    EXPECT_LE(total, 300 * 11);
    EXPECT_GE(fleet.admitted(), 300 * 10 * 80 / 100) << describe(fleet);
  }
}

TEST(Fleet, ABucketIsNeverOverBurstAndSlack) {
  for (const double share : {0.5, 0.9, 1.1, 3.0}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Fleet fleet(limit_of("1000/s"), {.daemons = 10, .seed = seed, .network = {.lost_per_mille = 5}});
      for (std::size_t daemon = 0; daemon < 10; ++daemon) fleet.demand(daemon, "k", 100 * share);
      fleet.run(10s);
      EXPECT_LE(excess_over_bucket(fleet.admissions(), 1000, 1000), 250) << share << " " << describe(fleet);
    }
  }
}

TEST(Fleet, ExactModeKeepsTheBucketItself) {
  Fleet fleet(limit_of("1000/s", "token_bucket", "exact"), {.daemons = 10});
  for (std::size_t daemon = 0; daemon < 10; ++daemon) fleet.demand(daemon, "k", 200);
  fleet.run(5s);
  // Answers leave up to half a millisecond after the debit, in which the bucket gained half a token; one more
  // is under way.
  EXPECT_LE(excess_over_bucket(fleet.admissions(), 1000, 1000), 2) << describe(fleet);
  EXPECT_GE(fleet.admitted(), (1000 + 5000) * 98 / 100) << describe(fleet);
}

TEST(Fleet, ASaturatedLimitIsUsed) {
  Fleet fleet(limit_of("1000/s"), {.daemons = 50});
  for (std::size_t daemon = 0; daemon < 50; ++daemon) fleet.demand(daemon, "k", 40);
  fleet.run(20s);
  EXPECT_GE(fleet.admitted(), (1000 + 20'000) * 98 / 100) << describe(fleet);
  EXPECT_LE(excess_over_bucket(fleet.admissions(), 1000, 1000), 250) << describe(fleet);
}

TEST(Fleet, AHotKeyUnderItsLimitCostsNextToNothing) {
  Fleet fleet(limit_of("25000/s"), {.daemons = 5});
  for (std::size_t daemon = 0; daemon < 5; ++daemon) fleet.demand(daemon, "k", 4'000);
  fleet.run(2s);
  fleet.forget_counts();
  fleet.run(5s);
  EXPECT_LE(static_cast<double>(fleet.operations_since()), 0.005 * static_cast<double>(fleet.checks()))
      << describe(fleet);
  EXPECT_EQ(fleet.denied(), 0U);
}

TEST(Fleet, AHotKeyOverItsLimitCostsABoundedRate) {
  for (const std::string algorithm : {"token_bucket", "fixed_window"}) {
    Fleet fleet(limit_of("2000/s", algorithm), {.daemons = 5});
    for (std::size_t daemon = 0; daemon < 5; ++daemon) fleet.demand(daemon, "k", 4'000);
    fleet.run(2s);
    fleet.forget_counts();
    fleet.run(10s);
    EXPECT_LE(fleet.operations_since(), 30U * 5 * 10) << algorithm << " " << describe(fleet);
    EXPECT_GE(fleet.admitted(), 20'000 * 98 / 100) << algorithm << " " << describe(fleet);
  }
}

TEST(Fleet, AHotSlidingCounterOverItsLimitCostsABoundedRate) {
  // What is left of it between two requests is lost, so a minute is used better than a second.
  Fleet fleet(limit_of("6000/m", "sliding_window_counter"), {.daemons = 5});
  for (std::size_t daemon = 0; daemon < 5; ++daemon) fleet.demand(daemon, "k", 200);
  fleet.run(120s);
  fleet.forget_counts();
  fleet.run(120s);
  EXPECT_LE(fleet.operations_since(), 30U * 5 * 120) << describe(fleet);
  EXPECT_GE(fleet.admitted(), 12'000 * 98 / 100) << describe(fleet);
}

TEST(Fleet, ManyLukewarmKeysShareTheirRequests) {
  for (const auto& [limit, most] : {std::pair{"12000/minute", 0.15}, std::pair{"200/s", 0.5}}) {
    Fleet fleet(limit_of(limit), {.daemons = 5});
    for (std::size_t daemon = 0; daemon < 5; ++daemon) {
      for (int key = 0; key < 50; ++key) fleet.demand(daemon, "k" + std::to_string(key), 20);
    }
    fleet.run(2s);
    fleet.forget_counts();
    fleet.run(5s);
    EXPECT_LE(static_cast<double>(fleet.operations_since()), most * static_cast<double>(fleet.checks()))
        << limit << " " << describe(fleet);
    EXPECT_EQ(fleet.denied(), 0U);
    printf("%s\n", describe(fleet).c_str());
  }
}

TEST(Fleet, DrainingReturnsWhatWasUnused) {
  Fleet fleet(limit_of("10000/day", "fixed_window"), {.daemons = 3});
  for (std::size_t daemon = 0; daemon < 3; ++daemon) fleet.demand(daemon, "k", 500);
  fleet.run(2s);
  fleet.stop_demand();
  EXPECT_GT(fleet.used_in_store("k"), fleet.admitted());
  int drained = 0;
  for (std::size_t daemon = 0; daemon < 3; ++daemon) fleet.daemon(daemon).drain([&] { ++drained; });
  fleet.run(10ms);
  EXPECT_EQ(drained, 3);
  EXPECT_EQ(fleet.used_in_store("k"), fleet.admitted());
}

TEST(Fleet, IdleKeysGoBackAndAreForgotten) {
  Fleet fleet(limit_of("1000/day", "fixed_window"), {.daemons = 1});
  for (int key = 0; key < 200; ++key) fleet.demand(0, "k" + std::to_string(key), 10);
  fleet.run(2s);
  fleet.stop_demand();
  fleet.run(5s);
  EXPECT_EQ(fleet.daemon(0).size(), 0U);
  std::int64_t used = 0;
  for (int key = 0; key < 200; ++key) used += fleet.used_in_store("k" + std::to_string(key));
  EXPECT_EQ(used, fleet.admitted());
}

}  // namespace
}  // namespace sluice::test
