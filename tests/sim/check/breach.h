// What the checks of the single algorithms share. Callers of limits.h need none of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "sim/check/limits.h"

namespace sluice::sim {

/// Where an interval ends: whether its last moment belongs to it.
enum class End : std::uint8_t { excluded, included };

/// `ppm` millionths of `d`, rounded up.
[[nodiscard]] Duration share_of(Duration d, std::int64_t ppm);

/// `found` with its text. `excused` tokens are part of its bound.
[[nodiscard]] Violation described(Violation found, std::string_view algorithm, End end, std::int64_t excused);

// Arguments as of worst_breach(), which has checked them. One moment's civil time is all that the checks of
// windows need beyond those of intervals.
[[nodiscard]] std::optional<Violation> worst_fixed_window(const LimitFacts& limit, WallTime began,
                                                          std::span<const Admission> admissions,
                                                          std::span<const Excuse> excuses,
                                                          const Tolerance& tolerance);
[[nodiscard]] std::optional<Violation> worst_estimate(const LimitFacts& limit, WallTime began,
                                                      std::span<const Admission> admissions,
                                                      std::span<const Excuse> excuses,
                                                      const Tolerance& tolerance);
[[nodiscard]] std::optional<Violation> worst_log_interval(const LimitFacts& limit,
                                                          std::span<const Admission> admissions,
                                                          std::span<const Excuse> excuses,
                                                          const Tolerance& tolerance);
[[nodiscard]] std::optional<Violation> worst_bucket_interval(const LimitFacts& limit,
                                                             std::span<const Admission> admissions,
                                                             std::span<const Excuse> excuses,
                                                             const Tolerance& tolerance);

}  // namespace sluice::sim
