#include "lease/table.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/random.h"
#include "base/time.h"
#include "lease/demand.h"
#include "lease/entry.h"
#include "lease/grant.h"
#include "lease/keys.h"
#include "lease/stock.h"
#include "lease/terms.h"
#include "lease/view.h"

namespace sluice::lease {
namespace {

/// Below this share of what it is worth holding, more is asked for in the background.
constexpr double kLowWater = 0.3;
/// Idle entries looked for when there is no room for a new key.
constexpr std::size_t kRoomBudget = 64;
/// Of a new key; by then it has tokens, and is due for their sake, or is looked at for being idle.
constexpr Duration kFirstLook = std::chrono::seconds{1};

void note_unmet(Entry& entry, std::int64_t cost) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();
  entry.unmet = static_cast<std::uint16_t>(entry.unmet + std::min(cost, kMost - entry.unmet));
}

}  // namespace

Table::Table(Random& random, std::size_t max_keys) : max_keys_(max_keys), keys_(random) {}

Answer Table::take(std::string_view key, const TermsPtr& terms, std::int64_t cost, std::uint64_t tag,
                   Instant now, Actions& actions) {
  SLUICE_ASSERT(cost > 0);
  if (cost > terms->limit().capacity()) {
    ++counters_.denials;
    return glance(key, *terms, cost, now);
  }
  Entry* entry = enter(key, terms, now, actions);
  if (entry == nullptr) {
    ++counters_.refused;
    return {.status = Status::full};
  }
  entry->demand.note(cost, Millis{now});
  // Whoever waits already comes first.
  const bool queued = entry->asking && !flights_.at(entry).waiters.empty();
  if (!queued) {
    if (auto answer = from_stock(*entry, cost, now)) return *answer;
    if (auto answer = from_initial(*entry, cost, now)) return *answer;
    const bool on_its_way = entry->asking && flights_.at(entry).id != 0;
    if (auto answer = on_its_way ? std::nullopt : known_denial(*entry, cost, now)) {
      ++counters_.denials;
      if (terms->ahead() && !known_empty(*entry, cost, Millis{now})) note_unmet(*entry, cost);
      return *answer;
    }
  }
  Flight& flight = flight_of(*entry);
  flight.waiters.push_back({.tag = tag, .cost = cost});
  if (flight.id == 0) mark_due(*entry);
  ++counters_.waits;
  return {.status = Status::waiting};
}

std::optional<Answer> Table::from_stock(Entry& entry, std::int64_t cost, Instant now) {
  const std::optional<Lot> spent = entry.stock.spend(cost, now);
  if (!spent) return std::nullopt;
  ++counters_.hits;
  prefetch(entry, now);
  return Answer{.status = Status::taken,
                .figures = figures_of(entry, now),
                .origin = {.good_until = spent->good_until,
                           .granted_at = spent->granted_at,
                           .generation = generations_[spent->generation]}};
}

std::optional<Answer> Table::from_initial(Entry& entry, std::int64_t cost, Instant now) {
  if (!entry.asking) return std::nullopt;
  Flight& flight = flights_.at(&entry);
  if (flight.initial_left < cost) return std::nullopt;
  flight.initial_left -= cost;
  flight.debt += cost;
  if (flight.id == 0) mark_due(entry);
  ++counters_.hits;
  Answer answer{.status = Status::taken, .figures = figures_of(entry, now)};
  answer.figures.remaining = std::max(std::int64_t{0}, answer.figures.remaining - flight.debt);
  return answer;
}

Answer Table::glance(std::string_view key, const Terms& terms, std::int64_t cost, Instant now) const {
  const std::int64_t capacity = terms.limit().capacity();
  const Entry* entry = keys_.find(key);
  if (entry == nullptr) {
    if (cost > capacity) return never(capacity, Duration::zero());
    return {.status = Status::waiting, .figures = {.remaining = capacity}};
  }
  const Figures figures = figures_of(*entry, now);
  if (cost > capacity) return never(figures.remaining, figures.reset_after);
  if (entry->stock.held(now) >= cost) return {.status = Status::taken, .figures = figures};
  if (auto answer = known_denial(*entry, cost, now)) return *answer;
  return {.status = Status::waiting, .figures = figures};
}

std::optional<Figures> Table::known(std::string_view key, Instant now) const {
  const Entry* entry = keys_.find(key);
  if (entry == nullptr) return std::nullopt;
  return figures_of(*entry, now);
}

std::int64_t Table::held(std::string_view key, Instant now) const {
  const Entry* entry = keys_.find(key);
  return entry == nullptr ? 0 : entry->stock.held(now);
}

Figures Table::put_back(std::string_view key, const TermsPtr& terms, std::int64_t tokens,
                        const Origin& origin, Instant now, Actions& actions) {
  Entry* entry = keys_.find(key);
  if (origin.generation == 0) {
    // Spent in advance. What was sent to be debited already counts as spent.
    if (entry != nullptr && entry->asking) {
      Flight& flight = flights_.at(entry);
      flight.debt -= std::min(tokens, flight.debt - flight.debt_sent);
    }
  } else if (entry != nullptr && terms->ahead() && now < origin.good_until && tokens <= Lot::kMaxTokens) {
    // Not of an exact limit: spent later, they would count at the moment of their debit.
    keep(*entry,
         {.tokens = static_cast<std::uint32_t>(tokens),
          .generation = generations_.index_of(origin.generation),
          .good_until = origin.good_until,
          .granted_at = origin.granted_at},
         now, actions);
  } else {
    counters_.returned += static_cast<std::uint64_t>(tokens);
    actions.returns.push_back({.key = std::string(key),
                               .terms = terms,
                               .tokens = tokens,
                               .granted_at = origin.granted_at,
                               .generation = origin.generation});
  }
  return entry == nullptr ? Figures{.remaining = 0} : figures_of(*entry, now);
}

Entry* Table::enter(std::string_view key, const TermsPtr& terms, Instant now, Actions& actions) {
  if (Entry* entry = keys_.find(key)) {
    if (entry->terms != terms) adopt(*entry, terms, actions);
    return entry;
  }
  if (keys_.size() >= max_keys_) make_room(now);
  if (keys_.size() >= max_keys_) return nullptr;
  Entry& entry = keys_.insert(make_entry(key, terms), now, now + kFirstLook);
  if (terms->initial() > 0) flight_of(entry).initial_left = terms->initial();
  return &entry;
}

void Table::adopt(Entry& entry, const TermsPtr& terms, Actions& actions) {
  const bool same = *entry.terms == *terms;
  entry.terms = terms;
  if (same) return;
  // What is held was leased by another promise, and what is known was said of another limit. The store
  // applies the new one to all that was consumed.
  while (const auto lot = entry.stock.take_any()) give_back(entry, *lot, Instant::min(), actions);
  entry.remaining = terms->limit().capacity();
  entry.retry_at = {};
  entry.full_at = {};
  entry.exhausted = false;
  entry.contended = false;
}

void Table::make_room(Instant now) {
  keys_.visit_soonest(kRoomBudget, [&](Entry& entry) {
    const bool owes = entry.terms->initial() > 0 && now < entry.full_at;
    if (!entry.stock.empty() || entry.asking || entry.watched || owes) return now + kFirstLook;
    keys_.erase(entry);
    ++counters_.evicted;
    ++counters_.crowded;
    return Keys::kErased;
  });
}

void Table::prefetch(Entry& entry, Instant now) {
  if (entry.asking || !entry.terms->ahead()) return;
  const Terms& terms = *entry.terms;
  const Millis ms{now};
  const double wanted = entry.demand.per_second(ms) * std::chrono::duration<double>(terms.horizon()).count();
  const std::int64_t share = entry.remaining / kExtraShare;
  // More than the store's share would not be given, so it is not waited for.
  const double worth = std::min({wanted, static_cast<double>(terms.max()), static_cast<double>(share)});
  if (worth < 1 || static_cast<double>(entry.stock.held(now)) >= worth * kLowWater) return;
  if (known_denial(entry, 1, now)) return;
  mark_due(entry);
}

Table::Flight& Table::flight_of(Entry& entry) {
  entry.asking = true;
  return flights_[&entry];
}

void Table::mark_due(Entry& entry) {
  Flight& flight = flight_of(entry);
  if (flight.due) return;
  flight.due = true;
  due_.push_back(&entry);
}

void Table::keep(Entry& entry, const Lot& lot, Instant now, Actions& actions) {
  // Else the new tokens might be counted as part of some that have ended.
  while (const auto ended = entry.stock.take_ended(now)) give_back(entry, *ended, now, actions);
  if (now >= lot.good_until || !entry.stock.add(lot)) {
    give_back(entry, lot, now, actions);
    return;
  }
  // Half a ttl later it shows whether anybody uses it.
  keys_.set_due(entry, std::min(entry.stock.first_end(), now + entry.terms->ttl() / 2));
}

}  // namespace sluice::lease
