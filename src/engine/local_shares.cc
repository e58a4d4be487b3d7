#include "engine/local_shares.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"

namespace sluice::engine {
namespace {

/// This portion of `whole` tokens.
std::int64_t portion_of(std::int64_t whole, Portion portion) {
  return whole / portion.parts + (portion.rank < whole % portion.parts ? 1 : 0);
}

}  // namespace

LocalShares::LocalShares(Random& random, std::size_t max_keys)
    : max_keys_(max_keys), entries_(0, KeyedHash(random)) {}

bool LocalShares::holds(std::string_view key, const limiter::Limit& limit) const {
  const auto found = entries_.find(key);
  return found != entries_.end() && limits_.at(found->second.whole) == limit;
}

limiter::Verdict LocalShares::take(std::string_view key, const limiter::Limit& limit, std::int64_t cost,
                                   Portion portion, std::optional<std::int64_t> known_left, WallTime now) {
  Entry* entry = find_or_begin(key, limit, portion, known_left, now);
  if (entry == nullptr) return {.retry_after = std::chrono::seconds{1}, .reset_after = {}};
  const limiter::Limit& part = limits_.at(entry->part);
  limiter::Verdict verdict = limiter::take(part, entry->state, now, cost);
  if (verdict.allowed) {
    entry->admitted += cost;
  } else if (cost <= limit.capacity() && verdict.retry_after == kNever) {
    // More than our part will ever hold, but not more than the limit: once the store is back it may pass.
    verdict.retry_after = std::chrono::seconds{1};
  }
  return verdict;
}

LocalShares::Entry* LocalShares::find_or_begin(std::string_view key, const limiter::Limit& limit,
                                               Portion portion, std::optional<std::int64_t> known_left,
                                               WallTime now) {
  if (const auto found = entries_.find(key); found != entries_.end()) {
    if (limits_.at(found->second.whole) == limit) return &found->second;
    // Reloaded meanwhile: what was consumed counts under the new limit.
    Entry& entry = found->second;
    const limiter::Limit part = limit.part(portion.parts, portion.rank);
    entry.state = limiter::carry_over(limits_.at(entry.part), part, entry.state, now);
    limits_.release(std::exchange(entry.whole, limits_.acquire(limit)));
    limits_.release(std::exchange(entry.part, limits_.acquire(part)));
    return &entry;
  }
  if (entries_.size() >= max_keys_) return nullptr;
  Entry& entry = entries_[std::string(key)];
  const limiter::Limit part = limit.part(portion.parts, portion.rank);
  entry.whole = limits_.acquire(limit);
  entry.part = limits_.acquire(part);
  if (known_left) {
    const std::int64_t ours =
        std::min(part.capacity(), portion_of(std::max(std::int64_t{0}, *known_left), portion));
    static_cast<void>(limiter::take(part, entry.state, now, part.capacity() - ours));
  }
  return &entry;
}

void LocalShares::put_back(std::string_view key, std::int64_t tokens, WallTime now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  limiter::give_back(limits_.at(entry.part), entry.state, now, tokens, std::nullopt);
  entry.admitted = std::max(std::int64_t{0}, entry.admitted - tokens);
}

std::int64_t LocalShares::still_counts(const Entry& entry, WallTime now) const {
  const limiter::Limit& part = limits_.at(entry.part);
  return part.capacity() - std::min(part.capacity(), limiter::available(part, entry.state, now));
}

std::vector<LocalShares::Booking> LocalShares::book(std::size_t budget, WallTime now,
                                                    const std::function<bool(std::string_view)>& reachable) {
  std::vector<Booking> bookings;
  auto at = entries_.find(next_);
  for (std::size_t visits = std::min(budget, entries_.size()); visits > 0 && !entries_.empty(); --visits) {
    if (at == entries_.end()) at = entries_.begin();
    Entry& entry = at->second;
    const std::int64_t counts = still_counts(entry, now);
    if (counts == 0) {
      at = forget(at);
      continue;
    }
    if (entry.admitted > 0 && reachable(at->first)) {
      const std::int64_t tokens = std::min(counts, std::exchange(entry.admitted, 0));
      bookings.push_back({.key = at->first, .limit = limits_.at(entry.whole), .tokens = tokens});
    }
    ++at;
  }
  next_ = at == entries_.end() ? std::string{} : at->first;
  return bookings;
}

void LocalShares::reached(std::string_view key) {
  const auto found = entries_.find(key);
  // What was not told yet is told first.
  if (found != entries_.end() && found->second.admitted == 0) forget(found);
}

LocalShares::Entries::iterator LocalShares::forget(Entries::iterator entry) {
  limits_.release(entry->second.whole);
  limits_.release(entry->second.part);
  return entries_.erase(entry);
}

}  // namespace sluice::engine
