// How often which sizes occurred, in buckets that are fixed when the program is written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/time.h"

namespace sluice {

/// A histogram for those who render it, whatever its buckets. Valid as long as what it was taken from.
struct HistogramView {
  std::span<const std::int64_t> bounds{};   ///< upper ones, each belonging to its bucket; ascending
  std::span<const std::uint64_t> counts{};  ///< of each bucket alone; one more than bounds
  std::uint64_t count = 0;
  std::int64_t sum = 0;

  /// Within the bucket that holds it, as if that were filled evenly; of what lies beyond the last bound, that
  /// bound. `q` is 0…1. Nothing: nothing was recorded.
  [[nodiscard]] std::optional<double> quantile(double q) const {
    if (count == 0) return std::nullopt;
    const double rank = q * static_cast<double>(count);
    double before = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      const auto here = static_cast<double>(counts[i]);
      if (here > 0 && before + here >= rank) {
        const double low = i == 0 ? 0.0 : static_cast<double>(bounds[i - 1]);
        return low + (static_cast<double>(bounds[i]) - low) * (rank - before) / here;
      }
      before += here;
    }
    return static_cast<double>(bounds.back());
  }
};

/// `Bounds`: an array of ascending upper bounds, in the unit of what is recorded. Plain counts: to record
/// allocates nothing, and a copy is a snapshot. The sum wraps after 2^63.
template <const auto& Bounds>
class Histogram {
 public:
  static_assert(!Bounds.empty());

  void record(std::int64_t value) {
    // There are few bounds, and small values are frequent: faster than halving.
    std::size_t bucket = 0;
    while (bucket < Bounds.size() && value > Bounds[bucket]) ++bucket;
    ++counts_[bucket];
    ++count_;
    sum_ += static_cast<std::uint64_t>(value);
  }

  /// Of a histogram in nanoseconds.
  void record(Duration length) { record(length.count()); }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] HistogramView view() const {
    return {.bounds = Bounds, .counts = counts_, .count = count_, .sum = static_cast<std::int64_t>(sum_)};
  }

  /// What came since `earlier`, a copy of this very histogram.
  [[nodiscard]] Histogram since(const Histogram& earlier) const {
    Histogram difference;
    for (std::size_t i = 0; i < counts_.size(); ++i) difference.counts_[i] = counts_[i] - earlier.counts_[i];
    difference.count_ = count_ - earlier.count_;
    difference.sum_ = sum_ - earlier.sum_;
    return difference;
  }

 private:
  std::array<std::uint64_t, Bounds.size() + 1> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

/// In nanoseconds, 1 µs to 1 s: from an answer out of memory to a store on its knees.
inline constexpr std::array<std::int64_t, 16> kLatencyBounds = {
    1'000,     2'500,     5'000,     10'000,     25'000,     50'000,      100'000,     250'000,
    1'000'000, 2'500'000, 5'000'000, 10'000'000, 25'000'000, 100'000'000, 250'000'000, 1'000'000'000};

using LatencyHistogram = Histogram<kLatencyBounds>;

}  // namespace sluice
