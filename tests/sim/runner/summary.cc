#include "sim/runner/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "sim/network/network.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"
#include "sim/world/world.h"

namespace sluice::sim {
namespace {

/// All that is a plain number, in one order for both directions.
template <class Network, class Act>
void each_of(Network& network, Act act) {
  for (auto* field : {&network.connections, &network.chunks, &network.bytes, &network.splits, &network.slow,
                      &network.refused, &network.hung, &network.resets, &network.half_open, &network.delayed})
    act(*field);
}

}  // namespace

Outcome run_twice(std::uint64_t seed) {
  const Plan plan = draw_plan(seed);
  Outcome first = World(plan, nullptr).run();
  const Outcome second = World(plan, nullptr).run();
  if (first.hash != second.hash) {
    first.violations.push_back(fmt::format("two runs differ: {:016x} after {} events, {:016x} after {}",
                                           first.hash, first.events, second.hash, second.events));
  }
  return first;
}

std::string encode(const Outcome& outcome) {
  std::string out = fmt::format("{} {} {} {} {} {}", outcome.seed, outcome.hash, outcome.simulated.count(),
                                outcome.events, outcome.answers, outcome.admitted);
  for (const std::uint64_t count : outcome.faults) out += fmt::format(" {}", count);
  for (std::size_t i = 0; i < kStates; ++i)
    out += fmt::format(" {}", outcome.states.count(static_cast<State>(i)));
  each_of(outcome.network, [&out](std::uint64_t count) { out += fmt::format(" {}", count); });
  out += "\n";
  for (std::string text : outcome.violations) {
    std::ranges::replace(text, '\n', ' ');
    out += text + "\n";
  }
  return out;
}

Outcome decode(const std::string& lines) {
  std::istringstream in(lines);
  Outcome outcome;
  Duration::rep simulated = 0;
  in >> outcome.seed >> outcome.hash >> simulated >> outcome.events >> outcome.answers >> outcome.admitted;
  outcome.simulated = Duration(simulated);
  for (std::uint64_t& count : outcome.faults) in >> count;
  for (std::size_t i = 0; i < kStates; ++i) {
    std::uint64_t count = 0;
    in >> count;
    outcome.states.reached(static_cast<State>(i), count);
  }
  each_of(outcome.network, [&in](std::uint64_t& count) { in >> count; });
  SLUICE_ASSERT(!in.fail());
  std::string text;
  std::getline(in, text);
  while (std::getline(in, text)) outcome.violations.push_back(text);
  return outcome;
}

void Summary::add(const Outcome& outcome) {
  ++seeds_;
  simulated_ += outcome.simulated;
  events_ += outcome.events;
  answers_ += outcome.answers;
  admitted_ += outcome.admitted;
  for (std::size_t i = 0; i < kFaults; ++i) faults_[i] += outcome.faults[i];
  for (std::size_t i = 0; i < kStates; ++i) {
    const std::uint64_t times = outcome.states.count(static_cast<State>(i));
    states_[i].times += times;
    if (times > 0) ++states_[i].seeds;
  }
  std::vector<std::uint64_t> counts;
  each_of(outcome.network, [&counts](std::uint64_t count) { counts.push_back(count); });
  auto next = counts.begin();
  each_of(network_, [&next](std::uint64_t& sum) { sum += *next++; });
  if (!outcome.violations.empty()) add_failure({.seed = outcome.seed, .what = outcome.violations});
}

std::vector<std::string> Summary::unreached() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kStates; ++i) {
    if (states_[i].seeds == 0) names.emplace_back(name_of(static_cast<State>(i)));
  }
  return names;
}

std::string Summary::text(Duration took) const {
  const double seconds = std::max(0.001, std::chrono::duration<double>(took).count());
  const double hours = std::chrono::duration<double, std::ratio<3600>>(simulated_).count();
  std::string out = fmt::format(
      "{} seeds, each run twice, in {:.1f} s: {:.1f} seeds/s\n{:.1f} simulated hours, {} events, {} answers, "
      "{} "
      "tokens admitted\n\nfaults injected\n",
      seeds_, seconds, static_cast<double>(seeds_) / seconds, hours, events_, answers_, admitted_);
  for (std::size_t i = 0; i < kFaults; ++i)
    out += fmt::format("  {:<22} {:>10}\n", name_of(static_cast<Fault>(i)), faults_[i]);
  out += fmt::format(
      "network\n  {} connections, {} chunks, {} of them slow and {} held up, {} writes split, {} resets, {} "
      "half-open, {} attempts refused and {} hung\n",
      network_.connections, network_.chunks, network_.slow, network_.delayed, network_.splits,
      network_.resets, network_.half_open, network_.refused, network_.hung);
  out += "states reached                  in seeds      times\n";
  for (std::size_t i = 0; i < kStates; ++i) {
    out += fmt::format("  {:<28} {:>9} {:>10}{}\n", name_of(static_cast<State>(i)), states_[i].seeds,
                       states_[i].times, states_[i].seeds == 0 ? "   NOT REACHED" : "");
  }
  return out;
}

}  // namespace sluice::sim
