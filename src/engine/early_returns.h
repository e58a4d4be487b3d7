// Finds those who ask again before the time that they were told to wait has passed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.h"

namespace sluice::engine {

/// Remembers the last few thousand keys that were denied, by their hashes alone: two keys that share a place
/// forget each other, so it may miss one, and does not accuse anybody wrongly.
/// Bound: kPlaces; nothing is allocated before the first denial.
class EarlyReturns {
 public:
  /// The key with this hash is denied for `retry_after` > 0. True: that is too early, by what it was told
  /// last.
  bool denied(std::uint64_t hash, Duration retry_after, Instant now) {
    if (places_.empty()) places_.resize(kPlaces);
    Place& place = places_[hash % kPlaces];
    const bool early = place.hash == hash && now < place.until;
    // A later word can only be more exact; a longer one would follow from what others took meanwhile.
    place = {.hash = hash, .until = now + retry_after};
    return early;
  }

  static constexpr std::size_t kPlaces = 4096;

 private:
  struct Place {
    std::uint64_t hash = 0;
    Instant until{};
  };
  std::vector<Place> places_;
};

}  // namespace sluice::engine
