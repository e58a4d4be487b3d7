#include "lease/terms.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/time.h"
#include "limiter/limit.h"

namespace sluice::lease {
namespace {

using namespace std::chrono_literals;
using limiter::Algorithm;
using limiter::Limit;

/// A used-up key is asked about some 22 times a second by each daemon, however hot it is.
constexpr Duration kPace = 45ms;
/// A lease shorter than a few round trips would be over on arrival.
constexpr Duration kShortestLease = 10ms;
/// The store gives at most an eighth of what is left: of less than this nothing is ever leased ahead.
constexpr std::int64_t kSmallestLeased = 8;

Duration scaled(Duration d, double by) {
  const double product = static_cast<double>(d.count()) * by;
  if (product >= static_cast<double>(Duration::max().count())) return Duration::max();
  return Duration{static_cast<Duration::rep>(product)};
}

/// How long an empty bucket takes to fill up, or how long a window lasts.
Duration time_to_fill(const Limit& limit) {
  if (limit.algorithm() != Algorithm::token_bucket || limit.count() == 0) return limit.period();
  return scaled(limit.period(), static_cast<double>(limit.capacity()) / static_cast<double>(limit.count()));
}

Duration longest_lease(const Limit& limit, const Settings& settings) {
  if (limit.algorithm() != Algorithm::token_bucket) return settings.ttl;
  return std::min(settings.ttl, scaled(time_to_fill(limit), settings.slack));
}

/// Requests must be frequent enough that, at an eighth of what is left each, they take out all that flows in
/// while the bucket is at most half full, or nearly all of a window.
Duration pace_of(const Limit& limit) {
  return std::clamp(time_to_fill(limit) / 16, Duration{1ms}, kPace);
}

}  // namespace

TermsPtr Terms::make(const Limit& limit, const Settings& settings) {
  return TermsPtr{new Terms(limit, settings)};
}

Terms::Terms(const Limit& limit, const Settings& settings)
    : limit_(limit),
      settings_(settings),
      ttl_(longest_lease(limit, settings)),
      horizon_(std::min(settings.target, ttl_)),
      pace_(pace_of(limit)),
      ahead_(!settings.exact && limit.algorithm() != Algorithm::sliding_window_log &&
             limit.capacity() >= kSmallestLeased && ttl_ >= kShortestLease) {}

bool Terms::operator==(const Terms& other) const {
  return settings_ == other.settings_ && limit_ == other.limit_;
}

}  // namespace sluice::lease
