#include "sim/check/limits.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/time.h"
#include "sim/check/breach.h"
#include "sim/check/seconds.h"
#include "sim/check/wide.h"
#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

// A list that the checks rely on: in order of time, nothing negative, its sum far from overflow.
template <class Entry>
bool sound(std::span<const Entry> entries, std::int64_t Entry::* tokens) {
  Wide sum = 0;
  for (const Entry& entry : entries) {
    if (entry.*tokens < 0) return false;
    sum += entry.*tokens;
  }
  return sum < Wide{1} << 62 && std::ranges::is_sorted(entries, std::less{}, &Entry::at);
}

void check_arguments(const LimitFacts& limit, WallTime began, const Tolerance& tolerance) {
  SLUICE_ASSERT(limit.tokens >= 0 && limit.period > Duration{0});
  SLUICE_ASSERT(limit.burst >= 0 && limit.slack >= 0);
  SLUICE_ASSERT(began >= WallTime{});
  SLUICE_ASSERT(tolerance.clock >= Duration{0} && tolerance.answer >= Duration{0});
  SLUICE_ASSERT(tolerance.drift_ppm >= 0);
}

}  // namespace

Duration share_of(Duration d, std::int64_t ppm) {
  return Duration{narrow(ceil_of(times(d.count(), ppm), 1'000'000))};
}

Violation described(Violation found, std::string_view algorithm, End end, std::int64_t excused) {
  found.what = std::string(algorithm) + ": " + std::to_string(found.admitted) + " admitted in [" +
               seconds(found.from) + ", " + seconds(found.to) + (end == End::included ? "], " : "), ") +
               std::to_string(found.bound) + " allowed";
  if (excused > 0) found.what += ", " + std::to_string(excused) + " of them excused";
  return found;
}

std::optional<Violation> worst_breach(const LimitFacts& limit, WallTime began,
                                      std::span<const Admission> admissions, std::span<const Excuse> excuses,
                                      const Tolerance& tolerance) {
  check_arguments(limit, began, tolerance);
  SLUICE_ASSERT(sound(admissions, &Admission::cost) && sound(excuses, &Excuse::tokens));
  switch (limit.algorithm) {
    case LimitFacts::Algorithm::fixed_window:
      return worst_fixed_window(limit, began, admissions, excuses, tolerance);
    case LimitFacts::Algorithm::sliding_counter:
      return worst_estimate(limit, began, admissions, excuses, tolerance);
    case LimitFacts::Algorithm::sliding_log:
      return worst_log_interval(limit, admissions, excuses, tolerance);
    case LimitFacts::Algorithm::token_bucket:
      return worst_bucket_interval(limit, admissions, excuses, tolerance);
  }
  SLUICE_ASSERT(false);
}

std::int64_t admitted_within(std::span<const Admission> admissions, SimTime from, SimTime to) {
  std::int64_t sum = 0;
  const auto first = std::ranges::lower_bound(admissions, from, {}, &Admission::at);
  for (auto it = first; it != admissions.end() && it->at < to; ++it) sum += it->cost;
  return sum;
}

}  // namespace sluice::sim
