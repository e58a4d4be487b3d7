#include "store/redis/ledger.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limit_table.h"
#include "limiter/limiter.h"
#include "store/redis/lineage.h"
#include "store/store.h"

namespace sluice::store::redis {
namespace {

using limiter::Algorithm;
using limiter::Limit;

/// How far the clock of the next master may be behind: until then it may count in a window that is over here.
constexpr Duration kClockSkew = std::chrono::seconds{10};

bool is_windowed(const Limit& limit) {
  return limit.algorithm() == Algorithm::fixed_window ||
         limit.algorithm() == Algorithm::sliding_window_counter;
}

/// Which part of its counter a grant was debited from, equal for equal parts: the end of the window, the
/// moment of a log's entry. WallTime{}: a bucket has none, or it is unknown.
WallTime stamp_of(const Limit& limit, const Grant& grant) {
  if (grant.reset_after == Duration::max()) return {};
  switch (limit.algorithm()) {
    case Algorithm::token_bucket:
      return {};
    case Algorithm::sliding_window_log:
      return grant.granted_at;
    case Algorithm::fixed_window:
      return grant.granted_at + grant.reset_after;
    case Algorithm::sliding_window_counter:  // full at the end of the next window
      return grant.granted_at + grant.reset_after - limit.period();
  }
  assertion_failed("a known algorithm", __FILE__, __LINE__);
}

/// When the grant's debit does not count any more. A bucket refills what was taken first first, and so this
/// debit when it would be full.
Instant death_of(const Limit& limit, const Grant& grant, Instant now) {
  const Duration skew = is_windowed(limit) ? kClockSkew : Duration::zero();
  if (grant.reset_after > Instant::max() - now - skew) return Instant::max();
  return now + grant.reset_after + skew;
}

bool refills(const Limit& limit) {
  return limit.algorithm() == Algorithm::token_bucket;
}

/// Debits that died by then count no more. Of what refills it is the beginning of the history: see ledger.h.
Instant counts_after(const Limit& limit, Instant began, Instant now) {
  return refills(limit) ? began : now;
}

bool is_later(Instant a, Instant b) {
  return a > b;
}

}  // namespace

void Ledger::book(std::string_view counter, const Limit& limit, const Lineage& lineage, const Grant& grant,
                  std::int64_t tokens, Instant now) {
  SLUICE_ASSERT(tokens > 0);
  sweep(now);
  const Instant dies_at = death_of(limit, grant, now);
  Account& account = account_of(counter, limit, dies_at);
  forget_useless(account, now);
  add(account, {.seq = grant.seq,
                .tokens = tokens,
                .dies_at = dies_at,
                .stamp = stamp_of(limit, grant),
                .history = history_id(lineage)});
}

void Ledger::give_back(std::string_view counter, std::int64_t tokens, std::optional<WallTime> granted_at,
                       Instant now) {
  const auto found = accounts_.find(counter);
  if (found == accounts_.end()) return;
  Account& account = found->second;
  forget_useless(account, now);
  if (account.debits.empty()) return;

  const Limit& limit = limits_.at(account.limit);
  std::optional<WallTime> stamp;  // nothing: any
  if (limit.algorithm() == Algorithm::sliding_window_log) {
    if (!granted_at) return;  // it freed its oldest entries, and we do not know whose they were
    stamp = granted_at;
  } else if (is_windowed(limit) && granted_at) {
    stamp = limiter::window_end(limit, *granted_at);
  } else if (limit.algorithm() == Algorithm::fixed_window) {
    stamp = account.debits.back().stamp;
  }
  for (auto debit = account.debits.rbegin(); debit != account.debits.rend() && tokens > 0; ++debit) {
    if (stamp && debit->stamp != *stamp) continue;
    const std::int64_t back = std::min(tokens, debit->tokens);
    debit->tokens -= back;
    tokens -= back;
  }
  remove_debits(account, [](const Debit& debit) { return debit.tokens == 0; });
}

void Ledger::forget(std::string_view counter) {
  const auto found = accounts_.find(counter);
  if (found != accounts_.end()) remove_debits(found->second, [](const Debit&) { return true; });
}

std::vector<std::string> Ledger::unproven(std::span<const LineageLine> lines, Instant began,
                                          Instant now) const {
  const std::vector<std::uint64_t> held_of = held(lines);
  std::vector<std::string> counters;
  for (const auto& [counter, account] : accounts_) {
    const Instant since = counts_after(limits_.at(account.limit), began, now);
    const bool any = std::ranges::any_of(account.debits, [&](const Debit& debit) {
      return debit.dies_at > since && debit.seq > held_of[debit.history];
    });
    if (any) counters.push_back(counter);
  }
  return counters;
}

std::vector<Lost> Ledger::lost(std::string_view counter, std::span<const LineageLine> lines, Instant began,
                               Instant now) const {
  const auto found = accounts_.find(counter);
  if (found == accounts_.end()) return {};
  const Limit& limit = limits_.at(found->second.limit);
  const Instant since = counts_after(limit, began, now);
  const std::vector<std::uint64_t> held_of = held(lines);
  std::vector<Lost> all;
  for (const Debit& debit : found->second.debits) {
    if (debit.dies_at <= since || debit.seq <= held_of[debit.history]) continue;
    Lost& one = all.emplace_back(Lost{.tokens = debit.tokens});
    if (is_windowed(limit) && debit.stamp != WallTime{}) {
      one.moment = debit.stamp - std::chrono::microseconds{1};
    }
  }
  return all;
}

const Limit& Ledger::limit_of(std::string_view counter) const {
  const auto found = accounts_.find(counter);
  SLUICE_ASSERT(found != accounts_.end());
  return limits_.at(found->second.limit);
}

void Ledger::rebooked(std::string_view counter, std::span<const LineageLine> lines, const Grant& answer,
                      Instant now) {
  const auto found = accounts_.find(counter);
  if (found == accounts_.end() || lines.empty()) return;
  const std::vector<std::uint64_t> held_of = held(lines);
  remove_debits(found->second, [&](const Debit& debit) { return debit.seq > held_of[debit.history]; });
  if (answer.granted_needs == 0) return;
  const Limit limit = limits_.at(found->second.limit);
  book(std::string(counter), limit, lines.back().lineage, answer, answer.granted_needs, now);
}

void Ledger::sweep(Instant now) {
  while (!looks_.empty() && looks_.front().due <= now) {
    const Look look = pop_look();
    const Instant use = last_use(look.account->second);
    if (use > now) {
      push_look({.due = use, .account = look.account});
    } else {
      remove(*look.account);
    }
  }
}

Instant Ledger::kept_until(const Limit& limit, Instant death) const {
  if (!refills(limit)) return death;
  return death > Instant::max() - repair_timeout_ ? Instant::max() : death + repair_timeout_;
}

Instant Ledger::last_use(const Account& account) const {
  const Limit& limit = limits_.at(account.limit);
  Instant last = Instant::min();
  for (const Debit& debit : account.debits) last = std::max(last, kept_until(limit, debit.dies_at));
  return last;
}

void Ledger::forget_useless(Account& account, Instant now) {
  const Limit& limit = limits_.at(account.limit);
  remove_debits(account, [&](const Debit& debit) { return kept_until(limit, debit.dies_at) <= now; });
}

Ledger::Account& Ledger::account_of(std::string_view counter, const Limit& limit, Instant dies_at) {
  const auto found = accounts_.find(counter);
  if (found == accounts_.end()) {
    make_room();
    const auto added =
        accounts_.emplace(counter, Account{.limit = limits_.acquire(limit), .debits = {}}).first;
    push_look({.due = dies_at, .account = &*added});
    return added->second;
  }
  Account& account = found->second;
  if (limits_.at(account.limit) == limit) return account;
  const limiter::LimitId before = std::exchange(account.limit, limits_.acquire(limit));
  limits_.release(before);
  // What was consumed has been carried over to another kind of counter: where it is now is not known.
  for (Debit& debit : account.debits) debit.stamp = {};
  return account;
}

void Ledger::add(Account& account, const Debit& debit) {
  account.debits.push_back(debit);
  ++histories_[debit.history].debits;
  ++debits_;
  if (account.debits.size() > kDebits) fold(account);
}

void Ledger::fold(Account& account) {
  std::vector<Debit>& debits = account.debits;
  std::size_t at = 0;
  while (at + 1 < debits.size() && debits[at].stamp != debits[at + 1].stamp) ++at;
  if (at + 1 == debits.size()) {
    at = 0;
    const bool over = is_windowed(limits_.at(account.limit)) && debits.front().stamp != WallTime{} &&
                      debits.front().stamp < debits.back().stamp;
    // Each is of a window of its own: there are more than any counter looks back on.
    if (over) debits.front().tokens = 0;
  }
  // The older one stands or falls with the newer one: where that is held, what came before it is. It need not
  // be of the same history: after each new one, what was not proven to be in it was debited again.
  Debit& older = debits[at];
  Debit& newer = debits[at + 1];
  // And no bucket ever lacks more than its capacity, however much was debited from it in turn.
  const Limit& limit = limits_.at(account.limit);
  const std::int64_t most = refills(limit) ? limit.capacity() : limiter::kMaxInteger;
  newer.tokens = std::min(most, newer.tokens + older.tokens);
  if (older.tokens > 0) newer.dies_at = std::max(newer.dies_at, older.dies_at);
  older.tokens = 0;
  remove_debits(account, [](const Debit& debit) { return debit.tokens == 0; });
}

template <class Predicate>
void Ledger::remove_debits(Account& account, Predicate predicate) {
  std::erase_if(account.debits, [&](const Debit& debit) {
    if (!predicate(debit)) return false;
    --histories_[debit.history].debits;
    --debits_;
    return true;
  });
}

void Ledger::make_room() {
  while (accounts_.size() >= max_keys_ && !looks_.empty()) {
    const Look look = pop_look();
    const Instant use = last_use(look.account->second);
    if (use > look.due) {
      push_look({.due = use, .account = look.account});
      continue;
    }
    if (!look.account->second.debits.empty()) ++counters_.dropped;
    remove(*look.account);
  }
}

void Ledger::push_look(Look look) {
  looks_.push_back(look);
  std::ranges::push_heap(looks_, is_later, &Look::due);
}

Ledger::Look Ledger::pop_look() {
  std::ranges::pop_heap(looks_, is_later, &Look::due);
  const Look look = looks_.back();
  looks_.pop_back();
  return look;
}

void Ledger::remove(Accounts::value_type& account) {
  remove_debits(account.second, [](const Debit&) { return true; });
  limits_.release(account.second.limit);
  accounts_.erase(accounts_.find(account.first));
}

Ledger::HistoryId Ledger::history_id(const Lineage& lineage) {
  auto found = std::ranges::find(histories_, lineage, &History::lineage);
  if (found == histories_.end()) found = std::ranges::find(histories_, 0U, &History::debits);
  if (found == histories_.end()) found = histories_.insert(histories_.end(), History{});
  if (found->lineage != lineage) found->lineage = lineage;
  return static_cast<HistoryId>(found - histories_.begin());
}

std::vector<std::uint64_t> Ledger::held(std::span<const LineageLine> lines) const {
  std::vector<std::uint64_t> all;
  all.reserve(histories_.size());
  for (const History& history : histories_) all.push_back(last_held(lines, history.lineage));
  return all;
}

}  // namespace sluice::store::redis
