// The keys that were met most often in the last minute or so, in bounded memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "observe/space_saving.h"

namespace sluice::observe {

/// One key of a list.
struct TopKey {
  std::string key;
  std::uint64_t hash = 0;
  std::uint64_t count = 0;
  /// The true number is at least count − error. It is at most `count`, too, if all occurrences were added;
  /// of a sample it is at most count + error, but for one time in some hundreds.
  std::uint64_t error = 0;
  double rate = 0;  ///< a second
};

/// Two half-windows that take turns: what is told is of the present one and the one before, of the last 30 to
/// 60 s. Bound: twice `capacity` counters.
class Sketch {
 public:
  static constexpr Duration kHalfWindow = std::chrono::seconds{30};

  /// `capacity` as SpaceSaving has it. `now`: from when on it is filled.
  Sketch(std::size_t capacity, Instant now);

  /// Times are in order. `weight`: how many occurrences this one stands for; 1: all are added.
  void add(std::string_view key, std::uint64_t hash, std::uint32_t weight, Instant now);

  /// How often the key occurred in the present window at least (of a sample, but for one time in hundreds),
  /// if that is more than `least`; else nothing of use is told: 0.
  [[nodiscard]] std::uint64_t certain(std::string_view key, std::uint64_t hash, std::uint64_t least) const;

  /// The first `limit`, the most frequent first.
  [[nodiscard]] std::vector<TopKey> top(std::size_t limit, Instant now);

  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  void turn(Instant now);
  [[nodiscard]] TopKey known(const SpaceSaving::Counter& counter, double seconds) const;

  std::size_t capacity_;
  SpaceSaving present_;
  SpaceSaving past_;
  Instant began_;         ///< the present half-window
  Instant window_began_;  ///< the window
  std::uint32_t present_weight_ = 1;
  std::uint32_t past_weight_ = 1;
};

/// By how much the number of occurrences may differ from `count`, where each is met with probability
/// 1 / `weight` and then counts `weight`: three standard deviations. 0 for a weight of 1.
[[nodiscard]] std::uint64_t sampling_error(std::uint64_t count, std::uint32_t weight);

}  // namespace sluice::observe
