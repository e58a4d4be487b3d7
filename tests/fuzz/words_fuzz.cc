// Fuzzes the words of rates, durations, limits and numbers. Promises: what was read is within its range and,
// written again, reads the same; a refusal names its field and is one printable line.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/text.h"
#include "base/time.h"
#include "fuzz/fuzz.h"
#include "limiter/calendar.h"
#include "limiter/limit.h"
#include "limiter/rate.h"
#include "rules/limits.h"

namespace sluice::fuzz {
namespace {

void check_line(std::string_view text) {
  SLUICE_ASSERT(!text.empty());
  for (const char c : text) SLUICE_ASSERT(static_cast<unsigned char>(c) >= ' ');
}

void check_numbers(std::string_view text) {
  if (const auto number = parse_int(text)) SLUICE_ASSERT(parse_int(std::to_string(*number)) == number);
  if (const auto duration = parse_duration(text)) {
    SLUICE_ASSERT(*duration >= Duration::zero());
    SLUICE_ASSERT(parse_duration(format_duration(*duration)) == duration);
    SLUICE_ASSERT(ceil_milliseconds(*duration) <= ceil_seconds(*duration) * 1000);
  }
}

void check_text(std::string_view text) {
  const std::string shown = printable(text, text.size());
  for (const char c : shown) SLUICE_ASSERT(c >= ' ' && c < '\x7f');
  SLUICE_ASSERT(equals_ignoring_case(text, text));
  constexpr std::array<std::string_view, 3> kWords{"limit", "burst", "algorithm"};
  for (const std::string_view word : kWords) {
    if (equals_ignoring_case(text, word)) SLUICE_ASSERT(nearest(text, kWords) == word);
  }
}

void check_rate(std::string_view text) {
  const auto rate = limiter::parse_rate(text);
  if (!rate) return check_line(rate.error().message);
  SLUICE_ASSERT(rate->count >= 0 && rate->count <= limiter::kMaxInteger);
  const bool civil = rate->unit != limiter::CalendarUnit::none;
  SLUICE_ASSERT(civil || rate->period > Duration::zero());
  if (civil) return;
  const auto again = limiter::parse_rate(std::to_string(rate->count) + "/" + format_duration(rate->period));
  SLUICE_ASSERT(again && again->count == rate->count && again->period == rate->period);
}

void check_limit(const rules::LimitWords& words) {
  const auto limit = rules::LimitCompiler().compile(words);
  if (!limit) {
    check_line(limit.error().message);
    const std::string& field = limit.error().field;
    SLUICE_ASSERT(field == "limit" || field == "burst" || field == "timezone");
    return;
  }
  SLUICE_ASSERT(limit->text == words.limit);
  if (!limit->limit) return;
  const limiter::Limit& made = *limit->limit;
  SLUICE_ASSERT(made.capacity() >= 0 && made.capacity() <= limiter::kMaxInteger);
  SLUICE_ASSERT(made.algorithm() == words.algorithm && made == made.part(1, 0));
}

}  // namespace

/// A limit; then, if there are more lines, an algorithm, a burst and a time zone.
void run(std::string_view bytes) {
  check_numbers(bytes);
  check_text(bytes);
  check_rate(bytes);
  const std::string_view limit = take_line(bytes);
  check_rate(limit);
  const auto algorithm = rules::parse_algorithm(take_line(bytes));
  const auto burst = parse_int(take_line(bytes));
  const std::string_view zone = take_line(bytes);
  if (!algorithm) check_line(algorithm.error().message);
  check_limit({.algorithm = algorithm.value_or(limiter::Algorithm::token_bucket),
               .limit = limit,
               .burst = burst,
               .timezone = zone.empty() ? "UTC" : zone});
}

}  // namespace sluice::fuzz
