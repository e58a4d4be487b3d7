// What many runs came to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"
#include "sim/world/world.h"

namespace sluice::sim {

/// A seed that did not do as promised.
struct Failure {
  std::uint64_t seed = 0;
  std::vector<std::string> what{};
};

/// One seed, run twice: the violations of the first, and one more if the two differ.
[[nodiscard]] Outcome run_twice(std::uint64_t seed);

/// As lines of text, for a pipe: the process that runs a seed may die of it.
[[nodiscard]] std::string encode(const Outcome& outcome);
/// `lines` as encode() wrote them. Asserts on anything else.
[[nodiscard]] Outcome decode(const std::string& lines);

class Summary {
 public:
  void add(const Outcome& outcome);
  void add_failure(Failure failure) { failures_.push_back(std::move(failure)); }

  [[nodiscard]] std::uint64_t seeds() const { return seeds_; }
  [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
  /// Tables for people. `took`: real time.
  [[nodiscard]] std::string text(Duration took) const;
  /// Names of states that no seed reached.
  [[nodiscard]] std::vector<std::string> unreached() const;

 private:
  struct Reached {
    std::uint64_t seeds = 0;
    std::uint64_t times = 0;
  };

  std::uint64_t seeds_ = 0;
  Duration simulated_{};
  std::uint64_t events_ = 0;
  std::uint64_t answers_ = 0;
  std::int64_t admitted_ = 0;
  std::array<std::uint64_t, kFaults> faults_{};
  std::array<Reached, kStates> states_{};
  NetworkCounters network_{};
  std::vector<Failure> failures_;
};

}  // namespace sluice::sim
