// What the table does by itself as time passes, and on orders from outside.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "lease/demand.h"
#include "lease/entry.h"
#include "lease/keys.h"
#include "lease/stock.h"
#include "lease/table.h"
#include "lease/terms.h"
#include "lease/view.h"

namespace sluice::lease {
namespace {

using namespace std::chrono_literals;

/// Entries looked at in one tick: about a millisecond of work.
constexpr std::size_t kTickBudget = 5'000;
/// A key that nobody asked for this long, and of which nothing is held, is forgotten.
constexpr Duration kIdle = 1s;

/// Tokens that nobody wanted for this long go back before their end. Less would be chance, not a pause.
constexpr Duration kQuiet = 500ms;

/// Lots go back a little before their end, so that they are back by then.
Duration margin_of(const Terms& terms) {
  return std::min(Duration{2 * Keys::kSlot}, terms.ttl() / 4);
}

Duration unused_for(const Entry& entry, Instant now) {
  return std::chrono::milliseconds{std::max<std::int64_t>(0, Millis{now}.since(entry.demand.last()))};
}

}  // namespace

void Table::tick(Instant now, Actions& actions) {
  keys_.visit_due(now, kTickBudget, [&](Entry& entry) { return look_after(entry, now, actions); });
}

Instant Table::look_after(Entry& entry, Instant now, Actions& actions) {
  const Terms& terms = *entry.terms;
  const Duration unused = unused_for(entry, now);
  while (const auto lot = entry.stock.take_ended(now + margin_of(terms)))
    give_back(entry, *lot, now, actions);
  if (unused >= std::max(terms.ttl() / 2, kQuiet)) give_back_all(entry, now, actions);
  if (!entry.stock.empty()) {
    return std::min(entry.stock.first_end() - margin_of(terms), now + terms.ttl() / 2);
  }
  // What is owed is tried again, whether anybody asks for the key or not.
  if (entry.asking && flights_.at(&entry).id == 0 && flights_.at(&entry).debt > 0) mark_due(entry);
  // Of a key that is granted tokens in advance when it is new, it must be known that it is not.
  const bool owes = terms.initial() > 0 && now < entry.full_at;
  if (entry.asking || entry.watched || owes || unused < kIdle) return now + kIdle;
  keys_.erase(entry);
  ++counters_.evicted;
  return Keys::kErased;
}

void Table::drain(Instant now, Actions& actions) {
  keys_.for_each([&](Entry& entry) { give_back_all(entry, now, actions); });
}

void Table::forget(std::string_view key) {
  Entry* entry = keys_.find(key);
  if (entry == nullptr) return;
  while (const auto lot = entry->stock.take_any()) counters_.lapsed += lot->tokens;
  if (entry->asking) flights_.at(entry).forgotten = true;
  entry->remaining = entry->terms->limit().capacity();
  entry->retry_at = {};
  entry->full_at = {};
  entry->exhausted = false;
  entry->contended = false;
}

bool Table::owe(std::string_view key, const TermsPtr& terms, std::int64_t tokens, Instant now,
                Actions& actions) {
  Entry* entry = enter(key, terms, now, actions);
  if (entry == nullptr) return false;
  entry->watched = true;
  Flight& flight = flight_of(*entry);
  flight.initial_left = 0;
  flight.debt += tokens;
  if (flight.id == 0) mark_due(*entry);
  return true;
}

void Table::watch(std::string_view key) {
  if (Entry* entry = keys_.find(key)) entry->watched = true;
}

void Table::heard(std::string_view key, std::int64_t remaining, Duration reset_after, Instant now) {
  Entry* entry = keys_.find(key);
  if (entry == nullptr) return;
  entry->remaining = remaining;
  entry->full_at = later(now, reset_after);
  entry->exhausted = false;
  entry->contended = false;
}

void Table::give_back_all(Entry& entry, Instant now, Actions& actions) {
  while (const auto lot = entry.stock.take_any()) give_back(entry, *lot, now, actions);
}

void Table::give_back(Entry& entry, const Lot& lot, Instant now, Actions& actions) {
  if (lot.ends_with_window && now >= lot.good_until) {
    counters_.lapsed += lot.tokens;
    return;
  }
  counters_.returned += lot.tokens;
  actions.returns.push_back({.key = std::string(entry.key()),
                             .terms = entry.terms,
                             .tokens = lot.tokens,
                             .granted_at = lot.granted_at,
                             .generation = generations_[lot.generation]});
}

}  // namespace sluice::lease
