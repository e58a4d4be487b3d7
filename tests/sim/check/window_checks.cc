// Fixed windows and the sliding counter: both count by windows of the store's clock. An admission that lies
// so near an edge that it may have been counted on either side of it is left out of both.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "base/time.h"
#include "sim/check/breach.h"
#include "sim/check/excuse_sums.h"
#include "sim/check/limits.h"
#include "sim/check/wide.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

class Windows {
 public:
  Windows(Duration period, WallTime began, const Tolerance& tolerance)
      : period_(period),
        began_(began.time_since_epoch()),
        uncertain_(tolerance.clock + share_of(period, tolerance.drift_ppm)),
        answer_(tolerance.answer) {}

  /// The window whose store counted what was admitted at `at`; nothing where that is not certain. A token
  /// can be seen later than it was debited but not sooner, so more is left out after an edge than before it.
  [[nodiscard]] std::optional<std::int64_t> holding(SimTime at) const {
    const std::int64_t number = (began_ + at) / period_;
    const Duration elapsed = at - begin(number);
    if (elapsed < uncertain_ + answer_ || elapsed >= period_ - uncertain_) return std::nullopt;
    return number;
  }
  [[nodiscard]] SimTime begin(std::int64_t number) const { return period_ * number - began_; }
  [[nodiscard]] SimTime end(std::int64_t number) const { return begin(number) + period_; }
  /// How far the store may be from what our clock says, of a moment within one window.
  [[nodiscard]] Duration uncertain() const { return uncertain_; }

 private:
  Duration period_;
  Duration began_;  ///< since 1970
  Duration uncertain_;
  Duration answer_;
};

}  // namespace

std::optional<Violation> worst_fixed_window(const LimitFacts& limit, WallTime began,
                                            std::span<const Admission> admissions,
                                            std::span<const Excuse> excuses, const Tolerance& tolerance) {
  const Windows windows(limit.period, began, tolerance);
  const ExcuseSums sums(excuses, limit.period + windows.uncertain());
  std::optional<Violation> worst;
  std::int64_t worst_excused = 0;
  std::int64_t current = -1;
  std::int64_t admitted = 0;
  for (const Admission& admission : admissions) {
    const std::optional<std::int64_t> number = windows.holding(admission.at);
    if (!number) continue;
    if (*number != current) admitted = 0;
    current = *number;
    admitted += admission.cost;
    const SimTime begin = windows.begin(current);
    const SimTime end = windows.end(current);
    const std::int64_t excused = sums.before(end + windows.uncertain()) - sums.expired_at(begin);
    const std::int64_t bound = limit.tokens + excused;
    const std::int64_t least = worst ? worst->admitted - worst->bound : 0;
    if (admitted - bound <= least) continue;
    worst = Violation{.from = begin, .to = end, .admitted = admitted, .bound = bound, .what = {}};
    worst_excused = excused;
  }
  if (!worst) return std::nullopt;
  return described(*worst, "fixed window", End::excluded, worst_excused);
}

std::optional<Violation> worst_estimate(const LimitFacts& limit, WallTime began,
                                        std::span<const Admission> admissions,
                                        std::span<const Excuse> excuses, const Tolerance& tolerance) {
  const Windows windows(limit.period, began, tolerance);
  const ExcuseSums sums(excuses, 2 * limit.period + windows.uncertain());
  std::optional<Violation> worst;
  std::int64_t worst_excused = 0;
  Wide worst_excess = 0;  // in tokens × period
  std::int64_t number = -1;
  std::int64_t previous = 0;
  std::int64_t current = 0;
  for (const Admission& admission : admissions) {
    const std::optional<std::int64_t> holding = windows.holding(admission.at);
    if (!holding) continue;
    if (*holding != number) {
      previous = *holding == number + 1 ? current : 0;
      current = 0;
      number = *holding;
    }
    current += admission.cost;
    const SimTime begin = windows.begin(number);
    // The store may have been this much further into the window, where the previous one weighs less.
    const Duration elapsed = std::min(admission.at - begin + windows.uncertain(), limit.period);
    const Wide estimate =
        times(current, limit.period.count()) + times(previous, (limit.period - elapsed).count());
    const std::int64_t excused = sums.until(admission.at) - sums.expired_at(begin);
    const std::int64_t bound = limit.tokens + excused;
    const Wide excess = estimate - times(bound, limit.period.count());
    if (excess <= worst_excess) continue;
    worst_excess = excess;
    worst = Violation{.from = begin - limit.period,
                      .to = admission.at,
                      .admitted = narrow(ceil_of(estimate, limit.period.count())),
                      .bound = bound,
                      .what = {}};
    worst_excused = excused;
  }
  if (!worst) return std::nullopt;
  return described(*worst, "sliding counter, as it estimates", End::included, worst_excused);
}

}  // namespace sluice::sim
