// The most frequent keys of a stream, in bounded memory: Space-Saving (Metwally, Agrawal, El Abbadi 2005).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::observe {

/// What is known of how often a key occurred: no more than `count`, no less than `count − error`.
struct Estimate {
  std::uint64_t count = 0;
  std::uint64_t error = 0;
};

/// Holds `capacity` counters. A key that has none takes over the least one, whose count becomes its error.
/// So with n occurrences in all every error is ≤ n / capacity, and every key that occurred more often than
/// that is held. Bound: capacity keys; nothing is allocated before the first. Constant time, amortized.
class SpaceSaving {
 public:
  struct Counter {
    std::string key;
    std::uint64_t hash = 0;
    std::uint64_t count = 0;
    std::uint64_t error = 0;
  };

  /// 1 ≤ `capacity` ≤ kMaxCapacity.
  explicit SpaceSaving(std::size_t capacity);

  /// The key, whose hash is `hash`, occurred `weight` ≥ 1 times more. Returns what is now known of it.
  Estimate add(std::string_view key, std::uint64_t hash, std::uint64_t weight);

  /// Also of keys that are not held.
  [[nodiscard]] Estimate estimate(std::string_view key, std::uint64_t hash) const;
  [[nodiscard]] bool holds(std::string_view key, std::uint64_t hash) const;
  /// The most that a key which is not held can have occurred.
  [[nodiscard]] std::uint64_t most_of_others() const;
  /// The largest count; 0 when empty.
  [[nodiscard]] std::uint64_t largest() const { return largest_; }

  /// In no order.
  [[nodiscard]] std::span<const Counter> counters() const { return counters_; }
  /// Its memory is kept.
  void clear();

  static constexpr std::size_t kMaxCapacity = 4096;

 private:
  using Place = std::uint16_t;
  static constexpr Place kFree = 0xffff;

  /// Where in places_ the key is, or the free place where it would be.
  [[nodiscard]] std::size_t find(std::string_view key, std::uint64_t hash) const;
  [[nodiscard]] std::size_t home(std::uint64_t hash) const { return hash & (places_.size() - 1); }
  void vacate(std::size_t place);
  /// The index of a counter of the least count.
  std::size_t least();

  std::size_t capacity_;
  std::vector<Counter> counters_;
  std::vector<Place> places_;  ///< indices into counters_, by hash, each as near behind its home as can be
  std::uint64_t least_ = 0;    ///< not above any count
  std::size_t cursor_ = 0;     ///< where least() goes on
  std::uint64_t largest_ = 0;
};

}  // namespace sluice::observe
