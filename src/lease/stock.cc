#include "lease/stock.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "base/time.h"

namespace sluice::lease {
namespace {

bool good(const Lot& lot, Instant now) {
  return lot.tokens > 0 && now < lot.good_until;
}

/// Removes up to `cost` and returns how many.
std::int64_t draw(Lot& lot, std::int64_t cost) {
  const auto drawn = std::min<std::int64_t>(cost, lot.tokens);
  lot.tokens -= static_cast<std::uint32_t>(drawn);
  return drawn;
}

/// Whether `from` can be counted as part of `into`.
bool merges(const Lot& into, const Lot& from) {
  return into.generation == from.generation && into.tokens <= Lot::kMaxTokens - from.tokens;
}

/// The earliest end holds for all: no token is held for longer than it may.
void merge(Lot& into, const Lot& from) {
  into.tokens += from.tokens;
  if (from.good_until < into.good_until) {
    into.good_until = from.good_until;
    into.ends_with_window = from.ends_with_window;
    into.granted_at = from.granted_at;
  }
}

}  // namespace

std::int64_t Stock::held(Instant now) const {
  std::int64_t held = good(first_, now) ? first_.tokens : 0;
  if (second_ && good(*second_, now)) held += second_->tokens;
  return held;
}

std::optional<Lot> Stock::spend(std::int64_t cost, Instant now) {
  SLUICE_ASSERT(cost > 0);
  if (held(now) < cost) return std::nullopt;
  std::optional<Lot> spent;
  std::int64_t missing = cost;
  for (Lot* lot : {&first_, second_.get()}) {
    if (missing == 0 || lot == nullptr || !good(*lot, now)) continue;
    if (!spent) {
      spent = *lot;
    } else {
      spent->good_until = std::min(spent->good_until, lot->good_until);
    }
    missing -= draw(*lot, missing);
  }
  SLUICE_ASSERT(missing == 0);
  if (first_.tokens == 0) drop_first();
  if (second_ && second_->tokens == 0) second_.reset();
  return spent;
}

bool Stock::add(const Lot& lot) {
  SLUICE_ASSERT(lot.tokens > 0);
  if (first_.tokens == 0) {
    first_ = lot;
  } else if (!second_) {
    second_ = std::make_unique<Lot>(lot);
    if (second_->good_until < first_.good_until) std::swap(first_, *second_);
  } else if (merges(*second_, lot)) {
    merge(*second_, lot);
  } else if (merges(first_, lot)) {
    merge(first_, lot);
  } else {
    return false;
  }
  return true;
}

std::optional<Lot> Stock::take_ended(Instant now) {
  if (second_ && second_->good_until <= now) {
    const Lot ended = *second_;
    second_.reset();
    return ended;
  }
  if (first_.tokens == 0 || first_.good_until > now) return std::nullopt;
  return take_any();
}

std::optional<Lot> Stock::take_any() {
  if (first_.tokens == 0) return std::nullopt;
  const Lot lot = first_;
  drop_first();
  return lot;
}

Instant Stock::first_end() const {
  SLUICE_ASSERT(!empty());
  return second_ ? std::min(first_.good_until, second_->good_until) : first_.good_until;
}

void Stock::drop_first() {
  first_ = second_ ? *second_ : Lot{};
  second_.reset();
}

}  // namespace sluice::lease
