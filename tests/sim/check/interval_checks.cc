// The sliding log and the token bucket: their promises are about any interval, wherever it begins. The worst
// one begins with an admission and ends with one: beyond them it only becomes longer, and excused by more.
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <numeric>
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

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kThousand = 1'000;

/// Longer than any run, and far from overflow when it is added to a moment.
constexpr Duration kEndless{std::numeric_limits<std::int64_t>::max() / 4};

/// What a bucket's promise allows, as integers: all of it is counted in 1 ÷ scale tokens, so that nothing is
/// rounded.
struct BucketBound {
  Wide scale = 1;
  Wide base = 0;    ///< for an interval without length
  Wide per_ns = 0;  ///< for each nanosecond of its length
};

/// How far two clocks, each off by as much as it may be, and a late answer can compress an interval.
Duration compressed_by(const Tolerance& tolerance) {
  return 2 * tolerance.clock + tolerance.answer;
}

/// (burst + slack × burst × widened) + rate × widened × (d + tolerance), where drift widens all that comes
/// from a length of time: a lease's ttl is where the slack comes from.
BucketBound bucket_bound(const LimitFacts& limit, const Tolerance& tolerance) {
  const std::int64_t period = limit.period.count();
  const std::int64_t slack = std::llround(limit.slack * double{kThousand});
  // Small fractions, so that the products stay small too.
  const std::int64_t rate_gcd = std::gcd(limit.tokens, period);
  const std::int64_t slack_gcd = std::gcd(slack, kThousand);
  const std::int64_t drift_gcd = std::gcd(kMillion + tolerance.drift_ppm, kMillion);
  const std::int64_t widened = (kMillion + tolerance.drift_ppm) / drift_gcd;
  const std::int64_t slack_parts = kThousand / slack_gcd;

  BucketBound bound;
  bound.scale = times(times(period / rate_gcd, kMillion / drift_gcd), slack_parts);
  bound.per_ns = times(times(limit.tokens / rate_gcd, widened), slack_parts);
  bound.base = times(limit.burst, bound.scale) +
               times(times(times(limit.burst, slack / slack_gcd), widened), period / rate_gcd) +
               times(bound.per_ns, compressed_by(tolerance).count());
  return bound;
}

/// burst ÷ rate
Duration time_to_fill(const LimitFacts& limit) {
  if (limit.tokens == 0) return kEndless;
  const Wide needed = ceil_of(times(limit.burst, limit.period.count()), limit.tokens);
  return needed < kEndless.count() ? Duration{narrow(needed)} : kEndless;
}

}  // namespace

std::optional<Violation> worst_log_interval(const LimitFacts& limit, std::span<const Admission> admissions,
                                            std::span<const Excuse> excuses, const Tolerance& tolerance) {
  struct Beginning {
    SimTime at;
    std::int64_t before;  ///< admitted before it, less what is excused no more
    std::int64_t expired;
  };
  const Duration shorter_than =
      limit.period - compressed_by(tolerance) - share_of(limit.period, tolerance.drift_ppm);
  if (shorter_than <= Duration{0}) return std::nullopt;
  const ExcuseSums sums(excuses, limit.period);
  std::deque<Beginning> beginnings;  // those that may still be the best: `before` grows from front to back
  std::optional<Violation> worst;
  std::int64_t worst_excused = 0;
  std::int64_t admitted = 0;
  for (const Admission& admission : admissions) {
    const std::int64_t expired = sums.expired_at(admission.at);
    const Beginning here{.at = admission.at, .before = admitted - expired, .expired = expired};
    while (!beginnings.empty() && beginnings.back().before > here.before) beginnings.pop_back();
    beginnings.push_back(here);
    while (admission.at - beginnings.front().at >= shorter_than) beginnings.pop_front();
    admitted += admission.cost;

    const Beginning& best = beginnings.front();
    const std::int64_t excused = sums.until(admission.at) - best.expired;
    const std::int64_t within = admitted - (best.before + best.expired);
    const std::int64_t bound = limit.tokens + excused;
    const std::int64_t least = worst ? worst->admitted - worst->bound : 0;
    if (within - bound <= least) continue;
    worst = Violation{.from = best.at, .to = admission.at, .admitted = within, .bound = bound, .what = {}};
    worst_excused = excused;
  }
  if (!worst) return std::nullopt;
  return described(*worst, "sliding log", End::included, worst_excused);
}

std::optional<Violation> worst_bucket_interval(const LimitFacts& limit, std::span<const Admission> admissions,
                                               std::span<const Excuse> excuses, const Tolerance& tolerance) {
  struct Beginning {
    SimTime at;
    std::int64_t admitted;  ///< before it
    std::int64_t expired;
    Wide level;
  };
  const BucketBound allowed = bucket_bound(limit, tolerance);
  const ExcuseSums sums(excuses, time_to_fill(limit));
  // Over [a, b] the excess is a sum of what depends on b and of what depends on a: so the worst beginning for
  // any end is the lowest that there was.
  std::optional<Beginning> lowest;
  std::optional<Violation> worst;
  std::int64_t worst_excused = 0;
  // The bound is rounded up and costs are whole: beyond it means beyond the exact bound by a token or more.
  Wide worst_excess = allowed.scale - 1;
  std::int64_t admitted = 0;
  for (const Admission& admission : admissions) {
    const Wide refilled = times(allowed.per_ns, admission.at.count());
    const std::int64_t expired = sums.expired_at(admission.at);
    const Wide level = times(admitted - expired, allowed.scale) - refilled;
    if (!lowest || level < lowest->level) {
      lowest = Beginning{.at = admission.at, .admitted = admitted, .expired = expired, .level = level};
    }
    admitted += admission.cost;
    const std::int64_t recent = sums.until(admission.at);
    const Wide excess = times(admitted - recent, allowed.scale) - refilled - lowest->level - allowed.base;
    if (excess <= worst_excess) continue;
    worst_excess = excess;
    worst_excused = recent - lowest->expired;
    const Wide exact = allowed.base + times(allowed.per_ns, (admission.at - lowest->at).count());
    worst = Violation{.from = lowest->at,
                      .to = admission.at,
                      .admitted = admitted - lowest->admitted,
                      .bound = worst_excused + narrow(ceil_of(exact, allowed.scale)),
                      .what = {}};
  }
  if (!worst) return std::nullopt;
  return described(*worst, "token bucket", End::included, worst_excused);
}

}  // namespace sluice::sim
