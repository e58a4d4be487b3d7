// The table's dealings with the store: what it asks for, and what it does with the answers.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "lease/demand.h"
#include "lease/entry.h"
#include "lease/grant.h"
#include "lease/stock.h"
#include "lease/table.h"
#include "lease/terms.h"
#include "lease/view.h"

namespace sluice::lease {
namespace {

/// Runs of equal needs in one request; more wait for the next.
constexpr std::size_t kMaxRuns = 64;
/// However long the store says that an exhausted key will be empty, it is asked again after this, so that
/// tokens which another daemon gave back, refunded or reset are found.
constexpr Duration kRecheck = std::chrono::seconds{1};

void add_need(std::vector<Need>& needs, std::int64_t cost, std::uint32_t count) {
  if (!needs.empty() && needs.back().cost == cost) {
    needs.back().count += count;
  } else {
    needs.push_back({.cost = cost, .count = count});
  }
}

/// What to hold beyond `needs` that are served now.
std::int64_t wished_extra(const Entry& entry, std::int64_t needs, Instant now) {
  const Terms& terms = *entry.terms;
  if (!terms.ahead()) return 0;
  const double rate = entry.demand.per_second(Millis{now}, needs);
  const double wanted = rate * std::chrono::duration<double>(terms.horizon()).count();
  if (wanted < 1) return 0;
  const auto whole = static_cast<std::int64_t>(std::min(wanted, static_cast<double>(terms.max())));
  const std::int64_t hold = std::clamp(whole, terms.min(), terms.max());
  return std::max(std::int64_t{0}, hold - entry.stock.held(now));
}

}  // namespace

void Table::compose(Instant now, Actions& actions) {
  for (Entry* entry : std::exchange(due_, {})) {
    Flight& flight = flights_.at(entry);
    flight.due = false;
    if (flight.id == 0) ask(*entry, flight, now, actions);
    finish_if_done(*entry);
  }
}

void Table::ask(Entry& entry, Flight& flight, Instant now, Actions& actions) {
  Ask request{.key = entry.key(), .terms = entry.terms};
  std::int64_t needed = flight.debt;
  // What was spent in advance is debited token by token: as much of it as there is.
  flight.debt_sent = std::min<std::int64_t>(flight.debt, std::numeric_limits<std::uint32_t>::max());
  if (flight.debt > 0) add_need(request.needs, 1, static_cast<std::uint32_t>(flight.debt_sent));
  flight.sent = 0;
  for (const Waiter& waiter : flight.waiters) {
    const bool continues = !request.needs.empty() && request.needs.back().cost == waiter.cost;
    if (!continues && request.needs.size() >= kMaxRuns) break;
    add_need(request.needs, waiter.cost, 1);
    needed += waiter.cost;
    ++flight.sent;
  }
  const std::int64_t extra = wished_extra(entry, needed, now);
  // Checks that came too early count as if they waited: those that come before the next request are as many.
  // By eighths of what is left alone, paced requests would leave a part of the limit unused for good.
  const std::int64_t unmet = std::min<std::int64_t>(extra, std::exchange(entry.unmet, 0));
  if (unmet > 0) add_need(request.needs, 1, static_cast<std::uint32_t>(unmet));
  request.extra = extra - unmet;
  if (request.needs.empty() && request.extra == 0) return;
  request.id = next_id_++;
  flight.id = request.id;
  flight.sent_at = now;
  flight.asked_extra = extra;
  flight.forgotten = false;
  entry.budget.spend(Millis{now}, entry.terms->pace());
  sent_.emplace(request.id, &entry);
  ++counters_.asks;
  actions.asks.push_back(std::move(request));
}

void Table::granted(std::uint64_t id, const Grant& grant, Instant now, Actions& actions) {
  const auto found = sent_.find(id);
  SLUICE_ASSERT(found != sent_.end());
  Entry& entry = *found->second;
  sent_.erase(found);
  Flight& flight = flights_.at(&entry);
  flight.id = 0;
  const std::int64_t size = grant.granted_needs + grant.granted_extra;
  counters_.granted += static_cast<std::uint64_t>(size);
  if (size > 0) counters_.sizes.record(size);
  if (entry.watched) actions.reached.emplace_back(entry.key());
  entry.watched = false;
  entry.remaining = grant.remaining;
  entry.full_at = later(now, grant.reset_after);
  entry.exhausted = false;

  const Duration ttl = entry.terms->ttl();
  const bool window_first = grant.ends_after && *grant.ends_after < ttl;
  Lot lot{.generation = generations_.index_of(grant.generation),
          .ends_with_window = window_first,
          .good_until = flight.sent_at + (window_first ? *grant.ends_after : ttl),
          .granted_at = grant.granted_at};
  const std::int64_t ahead = serve_sent(entry, flight, grant, lot, now, actions) + grant.granted_extra;
  counters_.extra += static_cast<std::uint64_t>(ahead);
  entry.contended = entry.exhausted || ahead < flight.asked_extra;
  lot.tokens = static_cast<std::uint32_t>(std::min(ahead, Lot::kMaxTokens));
  if (flight.forgotten) lot.tokens = 0;
  if (lot.tokens > 0) keep(entry, lot, now, actions);
  // What is at hand was too little for a check, and may be enough together with what others hold.
  if (entry.exhausted) give_back_all(entry, now, actions);
  serve_rest(entry, flight, now, actions);
  finish_if_done(entry);
}

std::int64_t Table::serve_sent(Entry& entry, Flight& flight, const Grant& grant, const Lot& lot, Instant now,
                               Actions& actions) {
  std::int64_t left = std::max(std::int64_t{0}, grant.granted_needs - flight.debt_sent);
  flight.debt -= flight.debt_sent;
  flight.debt_sent = 0;
  flight.initial_left = 0;
  const Origin origin{
      .good_until = lot.good_until, .granted_at = grant.granted_at, .generation = grant.generation};
  std::int64_t remaining = grant.remaining + grant.granted_extra + entry.stock.held(now) + left;
  for (; flight.sent > 0; --flight.sent) {
    const Waiter waiter = flight.waiters.front();
    flight.waiters.pop_front();
    if (waiter.cost <= left) {
      left -= waiter.cost;
      remaining -= waiter.cost;
      actions.resolved.push_back({.tag = waiter.tag,
                                  .cost = waiter.cost,
                                  .answer = {.status = Status::taken,
                                             .figures = {.remaining = remaining,
                                                         .retry_after = Duration::zero(),
                                                         .reset_after = until(entry.full_at, now)},
                                             .origin = origin}});
    } else {
      if (!entry.exhausted) deny_sent(entry, grant, now);
      actions.resolved.push_back(
          {.tag = waiter.tag, .cost = waiter.cost, .answer = denial(entry, now, Duration::zero())});
    }
  }
  return left;
}

void Table::deny_sent(Entry& entry, const Grant& grant, Instant now) {
  entry.exhausted = true;
  entry.contended = true;
  entry.retry_at = grant.retry_after == kNever ? Instant::max() : later(now, grant.retry_after);
  entry.recheck_at = Millis{std::min(entry.retry_at, now + kRecheck)};
}

void Table::serve_rest(Entry& entry, Flight& flight, Instant now, Actions& actions) {
  while (!flight.waiters.empty()) {
    const Waiter waiter = flight.waiters.front();
    auto answer = from_stock(entry, waiter.cost, now);
    if (!answer) answer = known_denial(entry, waiter.cost, now);
    if (!answer) break;
    flight.waiters.pop_front();
    actions.resolved.push_back({.tag = waiter.tag, .cost = waiter.cost, .answer = *answer});
  }
  if (!flight.waiters.empty() || flight.debt > 0) mark_due(entry);
}

void Table::failed(std::uint64_t id, Failure failure, Instant now, Actions& actions) {
  const auto found = sent_.find(id);
  SLUICE_ASSERT(found != sent_.end());
  Entry& entry = *found->second;
  sent_.erase(found);
  Flight& flight = flights_.at(&entry);
  flight.id = 0;
  flight.initial_left = 0;
  const bool lost = failure == Failure::unknown;
  if (lost) flight.debt -= flight.debt_sent;
  flight.debt_sent = 0;
  // Who was not part of a lost request may still be served by the next one. A store that carries nothing out
  // would not carry that out either.
  std::size_t count = lost ? flight.sent : flight.waiters.size();
  flight.sent = 0;
  for (; count > 0; --count) {
    Answer answer{.status = lost ? Status::unknown : Status::unavailable, .figures = figures_of(entry, now)};
    const Waiter waiter = flight.waiters.front();
    actions.resolved.push_back({.tag = waiter.tag, .cost = waiter.cost, .answer = answer});
    flight.waiters.pop_front();
  }
  if (!flight.waiters.empty()) mark_due(entry);
  finish_if_done(entry);
}

void Table::finish_if_done(Entry& entry) {
  const Flight& flight = flights_.at(&entry);
  if (flight.id != 0 || flight.due || !flight.waiters.empty()) return;
  if (flight.debt > 0 || flight.initial_left > 0) return;
  flights_.erase(&entry);
  entry.asking = false;
}

}  // namespace sluice::lease
