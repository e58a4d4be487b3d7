#include "store/memory/memory_store.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/assert.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limit_table.h"
#include "limiter/limiter.h"
#include "store/memory/entry.h"
#include "store/store.h"

namespace sluice::store {
namespace {

/// This process is the only history there is: it ends with it.
constexpr Generation kGeneration = 1;
/// Healed keys dropped with each new key: more than one, so that a table full of healed keys shrinks.
constexpr std::size_t kDropPerInsert = 2;
/// At the bound, how many due times may turn out to be out of date before a new key is refused.
constexpr std::size_t kDropAtBound = 64;
/// Guided self-scheduling: an extra is at most this share of what is left.
constexpr std::int64_t kExtraShare = 8;

/// What the needs take out of `available`, first-fit in order, and the cost of the first that did not fit.
struct Fit {
  std::int64_t tokens = 0;
  std::optional<std::int64_t> first_unserved;
};

Fit fit(std::span<const Need> needs, std::int64_t available) {
  Fit result;
  for (const Need& need : needs) {
    SLUICE_ASSERT(need.cost >= 0);
    std::int64_t served = need.count;
    if (need.cost > 0) served = std::min<std::int64_t>(served, (available - result.tokens) / need.cost);
    result.tokens += served * need.cost;
    if (served < need.count && !result.first_unserved) result.first_unserved = need.cost;
  }
  return result;
}

/// The figures of a Grant that describe a state.
void describe(Grant& grant, const limiter::Limit& limit, const limiter::State& state, WallTime now,
              std::optional<std::int64_t> waiting_cost) {
  const limiter::Verdict as_it_is = limiter::peek(limit, state, now, 0);
  grant.remaining = as_it_is.remaining;
  grant.reset_after = as_it_is.reset_after;
  grant.retry_after =
      waiting_cost ? limiter::peek(limit, state, now, *waiting_cost).retry_after : Duration::zero();
  grant.generation = kGeneration;
}

}  // namespace

MemoryStore::MemoryStore(const Clock& clock, Random& random, const MemoryStoreOptions& options)
    : clock_(clock), options_(options), entries_(0, KeyedHash(random)) {}

void MemoryStore::set_sink(StoreSink& /*sink*/) {}

WallTime MemoryStore::now() {
  // Whole microseconds, as every store has them (Redis' TIME has no finer ones): a bucket of 1/s that was
  // just touched is full again in 1 s, not in 1.0000003 s, which a client would be told as 2 s.
  return std::chrono::floor<std::chrono::microseconds>(wall_.advance(clock_.now(), clock_.wall_now()));
}

MemoryEntry* MemoryStore::find(std::string_view key, const limiter::Limit& limit, WallTime now) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return nullptr;
  MemoryEntry& entry = found->second;
  const limiter::Limit& previous = limits_.at(entry.limit);
  if (previous == limit) return &entry;
  entry.state = limiter::carry_over(previous, limit, entry.state, now);
  const limiter::LimitId id = limits_.acquire(limit);
  limits_.release(entry.limit);
  entry.limit = id;
  heap_.update(entry, limiter::full_at(limit, entry.state, now));
  return &entry;
}

MemoryEntry* MemoryStore::insert(std::string_view key, const limiter::Limit& limit, WallTime now) {
  drop_healed(now, kDropPerInsert);
  if (entries_.size() >= options_.max_keys) drop_healed(now, kDropAtBound);
  if (entries_.size() >= options_.max_keys) {
    ++counters_.refused;
    return nullptr;
  }
  const auto inserted = entries_.try_emplace(std::string(key)).first;
  MemoryEntry& entry = inserted->second;
  entry.key = inserted->first;
  entry.limit = limits_.acquire(limit);
  heap_.push(entry, now);
  return &entry;
}

void MemoryStore::erase(MemoryEntry& entry) {
  heap_.remove(entry);
  limits_.release(entry.limit);
  entries_.erase(entries_.find(entry.key));
}

void MemoryStore::drop_healed(WallTime now, std::size_t budget) {
  for (; budget > 0 && !heap_.empty() && heap_.top_due() <= now; --budget) {
    MemoryEntry& entry = heap_.top();
    // Due times are not moved with every debit, only looked at here: a hot key costs the heap nothing.
    const WallTime due = limiter::full_at(limits_.at(entry.limit), entry.state, now);
    if (due <= now) {
      erase(entry);
      ++counters_.expired;
    } else {
      heap_.update(entry, due);
    }
  }
}

void MemoryStore::sweep(std::size_t budget) {
  drop_healed(now(), budget);
}

std::optional<Outcome> MemoryStore::lease(const LeaseRequest& request, std::uint64_t /*tag*/) {
  const WallTime at = now();
  const limiter::Limit& limit = *request.limit;
  MemoryEntry* entry = find(request.key, limit, at);
  const limiter::State full;
  const std::int64_t available = limiter::available(limit, entry != nullptr ? entry->state : full, at);
  const Fit needs = fit(request.needs, available);
  // A log admits each cost at its own moment; tokens held for later would carry the wrong one.
  const bool holds_extra = limit.algorithm() != limiter::Algorithm::sliding_window_log;
  const std::int64_t extra =
      holds_extra ? std::min(request.extra, (available - needs.tokens) / kExtraShare) : 0;

  Outcome outcome;
  const std::int64_t debit = needs.tokens + extra;
  if (debit > 0) {
    if (entry == nullptr) entry = insert(request.key, limit, at);
    if (entry == nullptr) {
      outcome.error = StoreError::full;
      return outcome;
    }
    const limiter::Verdict verdict = limiter::take(limit, entry->state, at, debit);
    SLUICE_ASSERT(verdict.allowed);
    ++counters_.debits;
    ++seq_;
  }
  Grant& grant = outcome.grant;
  grant.granted_needs = needs.tokens;
  grant.granted_extra = extra;
  describe(grant, limit, entry != nullptr ? entry->state : full, at, needs.first_unserved);
  if (const auto end = limiter::window_end(limit, at)) grant.ends_after = *end - at;
  grant.granted_at = at;
  grant.seq = seq_;
  return outcome;
}

std::optional<Outcome> MemoryStore::peek(std::string_view key, const limiter::Limit& limit, std::int64_t cost,
                                         std::uint64_t /*tag*/) {
  const WallTime at = now();
  const MemoryEntry* entry = find(key, limit, at);
  Outcome outcome;
  describe(outcome.grant, limit, entry != nullptr ? entry->state : limiter::State{}, at, cost);
  return outcome;
}

std::optional<Outcome> MemoryStore::give_back(const GiveBack& request, std::uint64_t /*tag*/) {
  const WallTime at = now();
  const limiter::Limit& limit = *request.limit;
  MemoryEntry* entry = find(request.key, limit, at);
  const bool current = request.generation == 0 || request.generation == kGeneration;
  Outcome outcome;
  if (entry != nullptr && current) {
    limiter::give_back(limit, entry->state, at, request.tokens, request.granted_at);
    heap_.update(*entry, limiter::full_at(limit, entry->state, at));
  }
  describe(outcome.grant, limit, entry != nullptr ? entry->state : limiter::State{}, at, std::nullopt);
  if (entry != nullptr && std::holds_alternative<std::monostate>(entry->state)) erase(*entry);
  return outcome;
}

std::optional<Outcome> MemoryStore::reset(std::string_view key, const limiter::Limit& limit,
                                          std::uint64_t /*tag*/) {
  const WallTime at = now();
  if (MemoryEntry* entry = find(key, limit, at); entry != nullptr) erase(*entry);
  Outcome outcome;
  describe(outcome.grant, limit, limiter::State{}, at, std::nullopt);
  return outcome;
}

Generation MemoryStore::generation_of(std::string_view /*key*/) const {
  return kGeneration;
}

}  // namespace sluice::store
