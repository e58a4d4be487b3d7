// ./dev sim: runs seeds through the simulated world, and says what they found.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.h"
#include "base/time.h"
#include "sim/runner/summary.h"
#include "sim/runner/workers.h"
#include "sim/world/plan.h"
#include "sim/world/world.h"

namespace sluice::sim {
namespace {

struct Options {
  std::uint64_t seeds = 200;
  std::uint64_t seed = 0;  ///< one alone; 0: many
  std::uint64_t first = 1;
  std::string fresh{};  ///< seeds are drawn from this text
  std::string known{};  ///< further seeds, one a line
  std::size_t jobs = std::max(1U, std::thread::hardware_concurrency());
  std::size_t stop_after = 10;
  std::string expect{};  ///< a violation with these words must be found
  bool trace = false;
  bool show_config = false;
  bool all_states = false;
};

std::vector<std::uint64_t> seeds_of(const Options& options) {
  std::vector<std::uint64_t> seeds;
  if (!options.known.empty()) {
    std::ifstream in(options.known);
    for (std::string line; std::getline(in, line);) {
      if (!line.empty() && line[0] != '#') seeds.push_back(std::stoull(line));
    }
  }
  const std::uint64_t offset = options.fresh.empty() ? options.first : stable_hash(options.fresh) >> 16U;
  for (std::uint64_t i = 0; i < options.seeds; ++i) seeds.push_back(offset + i);
  return seeds;
}

void print_failure(const Failure& failure) {
  fmt::print("\nFAILED seed {}\n  {}\n", failure.seed, summary_of(draw_plan(failure.seed)));
  for (const std::string& text : failure.what) fmt::print("  - {}\n", text);
  fmt::print("  replay: ./dev sim --seed {}\n", failure.seed);
}

int run_one(const Options& options) {
  const Plan plan = draw_plan(options.seed);
  fmt::print("seed {}: {}\n", options.seed, summary_of(plan));
  if (options.show_config) fmt::print("{}\n", config_text(plan, 0));
  Outcome outcome;
  if (options.trace) {
    outcome = World(plan, stdout).run();
  } else {
    outcome = run_twice(options.seed);
  }
  for (const std::string& text : outcome.violations) fmt::print("  - {}\n", text);
  fmt::print("{}: {:016x}, {} events, {} answers in {} of simulated time\n",
             outcome.violations.empty() ? "kept every promise" : "FAILED", outcome.hash, outcome.events,
             outcome.answers, format_duration(outcome.simulated));
  return outcome.violations.empty() ? 0 : 1;
}

/// For programs with a planted bug.
int judge_planted(const Options& options, const Summary& summary, std::chrono::nanoseconds took) {
  for (const Failure& failure : summary.failures()) {
    for (const std::string& text : failure.what) {
      if (text.find(options.expect) == std::string::npos) continue;
      fmt::print("caught after {} seeds in {:.1f} s, by seed {}: {}\n", summary.seeds(),
                 std::chrono::duration<double>(took).count(), failure.seed, text);
      return 0;
    }
  }
  fmt::print("NOT CAUGHT by {} seeds\n", summary.seeds());
  return 1;
}

int run_many(const Options& options) {
  const std::vector<std::uint64_t> seeds = seeds_of(options);
  if (seeds.empty()) return 0;
  const bool planted = !options.expect.empty();
  if (!planted) fmt::print("{} seeds from {} on, {} at a time\n", seeds.size(), seeds.front(), options.jobs);
  const auto began = std::chrono::steady_clock::now();
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const auto told = [&](const Progress& progress) {
    if (!terminal || progress.done % 8 != 0) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    fmt::print("\r{} of {}, {} failed, {:.1f} seeds/s ", progress.done, seeds.size(), progress.failed,
               static_cast<double>(progress.done) / seconds);
    static_cast<void>(std::fflush(stdout));
  };
  const Summary summary = run_seeds(seeds, options.jobs, options.stop_after, told);
  if (terminal) fmt::print("\r");
  const auto took = std::chrono::steady_clock::now() - began;
  if (planted) return judge_planted(options, summary, took);
  fmt::print("{}", summary.text(took));
  for (const Failure& failure : summary.failures()) print_failure(failure);
  bool good = summary.failures().empty();
  if (options.all_states && !summary.unreached().empty()) {
    good = false;
    fmt::print("\nnever reached: {}\n", fmt::join(summary.unreached(), ", "));
  }
  fmt::print("\n{}\n", good ? "every promise was kept" : "FAILED");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace sluice::sim

int main(int argc, char** argv) {
  CLI::App app(
      "Many daemons, Redis servers, sentinels and applications on virtual time, and everything that can go "
      "wrong.",
      "sluice_sim");
  sluice::sim::Options options;
  app.add_option("--seeds", options.seeds, "how many")->capture_default_str();
  app.add_option("--seed", options.seed, "this one alone, with what it draws");
  app.add_option("--first", options.first, "the first of many")->capture_default_str();
  app.add_option("--fresh", options.fresh, "the first is drawn from this text, as from a commit's name");
  app.add_option("--known", options.known, "a file of seeds that are run first, one a line")
      ->check(CLI::ExistingFile);
  app.add_option("--jobs", options.jobs, "at a time")->capture_default_str()->check(CLI::Range(1, 256));
  app.add_option("--stop-after", options.stop_after, "failures after which no more are begun")
      ->capture_default_str();
  app.add_option("--expect", options.expect, "succeed only if a violation with these words is found");
  app.add_flag("--trace", options.trace, "with --seed: print everything that happens");
  app.add_flag("--config", options.show_config, "with --seed: print the daemons' configuration");
  app.add_flag("--all-states", options.all_states, "fail if a rare state is not reached");
  CLI11_PARSE(app, argc, argv);
  return options.seed != 0 ? sluice::sim::run_one(options) : sluice::sim::run_many(options);
}
