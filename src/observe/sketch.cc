#include "observe/sketch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "observe/space_saving.h"

namespace sluice::observe {

std::uint64_t sampling_error(std::uint64_t count, std::uint32_t weight) {
  if (weight <= 1) return 0;
  // The number that would be met as seldom as this with three deviations (Wilson's interval): of a few
  // occurrences the deviation itself is not known.
  constexpr double kDeviations = 3;
  const double each = weight;
  const double half = kDeviations * kDeviations * each / 2;
  return static_cast<std::uint64_t>(
      std::ceil(half + kDeviations * std::sqrt(each * static_cast<double>(count) + half * each / 2)));
}

Sketch::Sketch(std::size_t capacity, Instant now)
    : capacity_(capacity), present_(capacity), past_(capacity), began_(now), window_began_(now) {}

void Sketch::turn(Instant now) {
  if (now - began_ < kHalfWindow) return;
  const bool long_ago = now - began_ >= 2 * kHalfWindow;
  std::swap(present_, past_);
  std::swap(present_weight_, past_weight_);
  present_.clear();
  present_weight_ = 1;
  if (long_ago) {
    past_.clear();
    past_weight_ = 1;
  }
  window_began_ = long_ago ? now - kHalfWindow : began_;
  began_ = long_ago ? now : began_ + kHalfWindow;
}

void Sketch::add(std::string_view key, std::uint64_t hash, std::uint32_t weight, Instant now) {
  turn(now);
  present_weight_ = std::max(present_weight_, weight);
  present_.add(key, hash, weight);
}

std::uint64_t Sketch::certain(std::string_view key, std::uint64_t hash, std::uint64_t least) const {
  const Estimate here = present_.estimate(key, hash);
  if (here.count - here.error + past_.largest() <= least) return 0;
  const Estimate before = past_.estimate(key, hash);
  const std::uint64_t count = here.count + before.count;
  const std::uint64_t unsure =
      here.error + before.error + sampling_error(count, std::max(present_weight_, past_weight_));
  return count > least && count - least > unsure ? count - unsure : 0;
}

TopKey Sketch::known(const SpaceSaving::Counter& counter, double seconds) const {
  const Estimate here = present_.estimate(counter.key, counter.hash);
  const Estimate before = past_.estimate(counter.key, counter.hash);
  TopKey out{.key = counter.key, .hash = counter.hash, .count = here.count + before.count};
  const std::uint64_t unsure =
      here.error + before.error + sampling_error(out.count, std::max(present_weight_, past_weight_));
  out.error = std::min(out.count, unsure);
  out.rate = static_cast<double>(out.count) / seconds;
  return out;
}

std::vector<TopKey> Sketch::top(std::size_t limit, Instant now) {
  turn(now);
  const double seconds = std::max(1.0, std::chrono::duration<double>(now - window_began_).count());
  std::vector<TopKey> out;
  for (const SpaceSaving::Counter& counter : present_.counters()) out.push_back(known(counter, seconds));
  for (const SpaceSaving::Counter& counter : past_.counters()) {
    if (!present_.holds(counter.key, counter.hash)) out.push_back(known(counter, seconds));
  }
  const auto more = [](const TopKey& a, const TopKey& b) {
    return a.count != b.count ? a.count > b.count : a.key < b.key;
  };
  const auto kept = static_cast<std::ptrdiff_t>(std::min(limit, out.size()));
  std::ranges::partial_sort(out, out.begin() + kept, more);
  out.resize(static_cast<std::size_t>(kept));
  return out;
}

}  // namespace sluice::observe
