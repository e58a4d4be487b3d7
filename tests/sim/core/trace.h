// What a run did, as one number: two runs of a seed must end with the same.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>

#include "sim/core/timeline.h"

namespace sluice::sim {

class Trace {
 public:
  /// `out`: each note is printed there with its time, for people; null: none is.
  explicit Trace(std::FILE* out = nullptr) : out_(out) {}

  /// Every delivery on the network, every fault and every answer is noted, whole.
  void note(SimTime when, std::string_view who, std::string_view what);

  /// Notes are costly to put together for people only: ask first.
  [[nodiscard]] bool printing() const { return out_ != nullptr; }
  /// For people only: is no part of the hash.
  void say(SimTime when, std::string_view who, std::string_view what) const;

  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::FILE* out_;
  std::uint64_t hash_ = 0;
};

}  // namespace sluice::sim
