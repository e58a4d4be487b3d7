#include "observe/space_saving.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"

namespace sluice::observe {

SpaceSaving::SpaceSaving(std::size_t capacity) : capacity_(capacity) {
  SLUICE_ASSERT(capacity >= 1 && capacity <= kMaxCapacity);
}

Estimate SpaceSaving::add(std::string_view key, std::uint64_t hash, std::uint64_t weight) {
  // Half of the places stay free, so that runs are short.
  if (places_.empty()) places_.assign(std::bit_ceil(2 * capacity_), kFree);
  std::size_t place = find(key, hash);
  if (places_[place] == kFree) {
    std::size_t index = counters_.size();
    if (index < capacity_) {
      counters_.push_back({.key = std::string(key), .hash = hash, .count = 0, .error = 0});
      // A new one is below all others; with `weight` it may not be.
      least_ = 0;
    } else {
      index = least();
      Counter& counter = counters_[index];
      vacate(find(counter.key, counter.hash));
      place = find(key, hash);
      counter.key.assign(key);
      counter.hash = hash;
      counter.error = counter.count;
    }
    places_[place] = static_cast<Place>(index);
  }
  Counter& counter = counters_[places_[place]];
  counter.count += weight;
  largest_ = std::max(largest_, counter.count);
  return {.count = counter.count, .error = counter.error};
}

std::size_t SpaceSaving::find(std::string_view key, std::uint64_t hash) const {
  std::size_t place = home(hash);
  while (places_[place] != kFree) {
    const Counter& counter = counters_[places_[place]];
    if (counter.hash == hash && counter.key == key) break;
    place = (place + 1) & (places_.size() - 1);
  }
  return place;
}

void SpaceSaving::vacate(std::size_t place) {
  // Those behind it move up, as far as their homes let them, so that no search ends too early.
  const std::size_t mask = places_.size() - 1;
  std::size_t hole = place;
  for (std::size_t next = (place + 1) & mask; places_[next] != kFree; next = (next + 1) & mask) {
    const std::size_t wanted = home(counters_[places_[next]].hash);
    if (((next - wanted) & mask) < ((next - hole) & mask)) continue;
    places_[hole] = places_[next];
    hole = next;
  }
  places_[hole] = kFree;
}

std::size_t SpaceSaving::least() {
  // Counts only grow, so no count is below least_, and whoever has it is the least. A round finds as many as
  // there are before the least is sought anew.
  while (true) {
    for (; cursor_ < counters_.size(); ++cursor_) {
      if (counters_[cursor_].count == least_) return cursor_;
    }
    cursor_ = 0;
    least_ = std::ranges::min_element(counters_, {}, &Counter::count)->count;
  }
}

Estimate SpaceSaving::estimate(std::string_view key, std::uint64_t hash) const {
  if (places_.empty()) return {};
  const std::size_t place = find(key, hash);
  if (places_[place] == kFree) return {.count = most_of_others(), .error = most_of_others()};
  const Counter& counter = counters_[places_[place]];
  return {.count = counter.count, .error = counter.error};
}

bool SpaceSaving::holds(std::string_view key, std::uint64_t hash) const {
  return !places_.empty() && places_[find(key, hash)] != kFree;
}

std::uint64_t SpaceSaving::most_of_others() const {
  if (counters_.size() < capacity_) return 0;
  return std::ranges::min_element(counters_, {}, &Counter::count)->count;
}

void SpaceSaving::clear() {
  counters_.clear();
  std::ranges::fill(places_, kFree);
  least_ = 0;
  cursor_ = 0;
  largest_ = 0;
}

}  // namespace sluice::observe
