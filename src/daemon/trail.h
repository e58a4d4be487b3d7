// The last few values of something, each with its time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "base/time.h"

namespace sluice::daemon {

/// Bound: `Length` values, kept in place.
template <class Value, std::size_t Length>
class Trail {
 public:
  struct Point {
    Instant time{};
    Value value{};
  };

  void push(const Value& value, Instant now) {
    points_[next_] = {.time = now, .value = value};
    next_ = (next_ + 1) % Length;
    if (size_ < Length) ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  /// `age` 0 is the newest; the oldest where there are not so many. Something must have been pushed.
  [[nodiscard]] const Point& back(std::size_t age) const {
    const std::size_t steps = age < size_ ? age : size_ - 1;
    return points_[(next_ + Length - 1 - steps) % Length];
  }
  [[nodiscard]] const Point& oldest() const { return back(Length - 1); }

 private:
  std::array<Point, Length> points_{};
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

/// A second, of what grew by `growth` since `then`; not less than a second is taken to have passed.
[[nodiscard]] inline double per_second(std::uint64_t growth, Instant then, Instant now) {
  const double seconds = std::chrono::duration<double>(now - then).count();
  return static_cast<double>(growth) / (seconds < 1 ? 1 : seconds);
}

}  // namespace sluice::daemon
