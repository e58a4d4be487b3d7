// The promise "never over the limit" as code: from what was admitted, and when, it computes its own bound. It
// shares nothing with the product's arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/time.h"
#include "sim/core/timeline.h"

namespace sluice::sim {

/// A limit in the words of its promise.
struct LimitFacts {
  enum class Algorithm : std::uint8_t { fixed_window, sliding_log, sliding_counter, token_bucket };
  Algorithm algorithm = Algorithm::fixed_window;
  std::int64_t tokens = 0;  ///< of one window; of a bucket: refilled in one period
  Duration period{};        ///< the window; windows begin at multiples of it since 1970 by the store's clock
  std::int64_t burst = 0;   ///< of a bucket: its capacity
  double slack = 0;         ///< of a bucket: by what share of burst it may be passed; 0 if exact
};

/// Cost that an application was allowed to spend: an answer "allowed" that it received.
struct Admission {
  SimTime at{};
  std::int64_t cost = 0;
};

/// Tokens that the promise does not cover, known since `at`: given back by REFUND, or debited by a process
/// that died and lost by a failover before anyone could rebook them, and the like.
struct Excuse {
  SimTime at{};
  std::int64_t tokens = 0;
};

/// By how much the checker's clock and the store's may differ, and how much later than its debit a token may
/// be seen to be spent.
struct Tolerance {
  Duration clock{};            ///< each store's clock from true civil time, at any moment
  std::int64_t drift_ppm = 0;  ///< of the clocks that leases are counted by
  Duration answer{};           ///< from debit to admission for requests that waited, beyond any lease
};

struct Violation {
  SimTime from{};
  SimTime to{};
  std::int64_t admitted = 0;
  std::int64_t bound = 0;
  std::string what{};  ///< "fixed window: 103 admitted in [12.000 s, 13.000 s), 100 allowed"
};

/// The worst breach, if there is any: the one with the most tokens beyond its bound, the first of equals.
/// `admissions` and `excuses` in order of time; true civil time was `began` at SimTime 0. Periods are > 0,
/// and nothing is negative.
///
/// - fixed window: the sum over each window, but for what lies within the tolerance of its edges, ≤ tokens.
/// - sliding log: the sum over any [a, b] shorter than the period by more than the tolerance ≤ tokens.
/// - sliding counter: previous × (1 − elapsed ÷ period) + current ≤ tokens at each admission, both counted as
///   for the fixed window and elapsed as much as the store's clock may have made it.
/// - bucket: the sum over any interval [a, b] ≤ burst × (1 + slack) + rate × (b − a + tolerance), rounded up.
///   Slack is rounded to a thousandth.
///
/// Tolerance. Windows leave out what was admitted within clock + drift × period of either edge, or within
/// answer of that after the first: it may have been counted on the other side, and dropping it from both is
/// never stricter than any choice of sides. A window shorter than that is not judged at all. For intervals
/// the tolerance is 2 × clock + answer; drift shortens the log's period by its share, and for the bucket it
/// widens rate × (b − a + tolerance) and the slack, for that is what a lease's ttl allows. `clock` includes
/// what the store's clock rounds.
///
/// An excuse counts for every interval that ends at or after it and begins no later than the limit takes to
/// be full again after it. Its tokens are added to the bound in full, for each such interval.
/// - fixed window: its window and the next one; near an edge (clock + drift) also the one on the other side.
/// - sliding counter: admissions from it on in its window and the next two (near an edge as above).
/// - sliding log: [a, b] with a − period ≤ excuse ≤ b.
/// - bucket: [a, b] with a − burst ÷ rate ≤ excuse ≤ b; without a rate, any that ends at or after it.
///
/// O(n log excuses), in exact integers. Asserts where 128 bits do not hold them, which cannot be while all
/// that was admitted × period, burst × period and tokens × length of the run (in nanoseconds) are below 10²⁸.
[[nodiscard]] std::optional<Violation> worst_breach(const LimitFacts& limit, WallTime began,
                                                    std::span<const Admission> admissions,
                                                    std::span<const Excuse> excuses,
                                                    const Tolerance& tolerance);

/// Cost admitted within [from, to).
[[nodiscard]] std::int64_t admitted_within(std::span<const Admission> admissions, SimTime from, SimTime to);

}  // namespace sluice::sim
