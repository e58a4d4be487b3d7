#include "engine/leased_store.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/hash.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "engine/local_shares.h"
#include "lease/grant.h"
#include "lease/keys.h"
#include "lease/table.h"
#include "lease/terms.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "rules/policy.h"
#include "rules/spec.h"
#include "store/store.h"

namespace sluice::engine {
namespace {

// Tags towards the store behind: leases are even, what is passed on is odd, and for returned tokens all have
// the same, since nobody asks what became of which.
constexpr std::uint64_t kReturnTag = 0;

std::uint64_t lease_tag(std::uint64_t id) {
  return id * 2;
}
std::uint64_t passed_tag(std::uint64_t id) {
  return id * 2 + 1;
}

/// Keys whose consumption without the store is booked in one tick: the store is not to be flooded on its
/// return.
constexpr std::size_t kBookingsPerTick = 500;

/// Our part of the key's limit: as many parts as daemons, ranked anew for each key.
Portion portion_in(const store::Fleet& fleet, std::string_view key) {
  if (fleet.members.empty()) return {};
  const auto weight = [key](std::string_view member) { return stable_hash(std::string(member).append(key)); };
  const std::uint64_t own = weight(fleet.self);
  const auto higher = std::ranges::count_if(fleet.members, [&](const std::string& member) {
    const std::uint64_t other = weight(member);
    return other > own || (other == own && member > fleet.self);
  });
  return {.parts = static_cast<std::int64_t>(fleet.members.size()), .rank = higher};
}

lease::Settings settings_of(const rules::LeaseSettings& words) {
  return {.target = words.target,
          .ttl = words.ttl,
          .slack = words.slack,
          .min = words.min,
          .max = words.max,
          .initial = words.initial,
          .exact = words.exact};
}

store::Outcome failed_with(store::StoreError error) {
  store::Outcome outcome;
  outcome.error = error;
  return outcome;
}

store::Outcome outcome_of(const lease::Figures& figures) {
  store::Outcome outcome;
  outcome.grant.remaining = figures.remaining;
  outcome.grant.retry_after = figures.retry_after;
  outcome.grant.reset_after = figures.reset_after;
  return outcome;
}

store::Outcome outcome_of(const lease::Answer& answer, std::int64_t cost) {
  switch (answer.status) {
    case lease::Status::full:
      return failed_with(store::StoreError::full);
    case lease::Status::unavailable:
      return failed_with(store::StoreError::unavailable);
    case lease::Status::unknown:
      return failed_with(store::StoreError::unknown);
    case lease::Status::taken:
    case lease::Status::denied:
    case lease::Status::waiting:
      break;
  }
  store::Outcome outcome = outcome_of(answer.figures);
  if (answer.status == lease::Status::taken) {
    outcome.grant.granted_needs = cost;
    outcome.grant.granted_at = answer.origin.granted_at;
    outcome.grant.generation = answer.origin.generation;
    outcome.grant.good_until = answer.origin.good_until;
  }
  return outcome;
}

lease::Grant grant_of(const store::Grant& grant) {
  return {.granted_needs = grant.granted_needs,
          .granted_extra = grant.granted_extra,
          .remaining = grant.remaining,
          .retry_after = grant.retry_after,
          .reset_after = grant.reset_after,
          .ends_after = grant.ends_after,
          .granted_at = grant.granted_at,
          .generation = grant.generation};
}

}  // namespace

LeasedStore::LeasedStore(Loop& loop, Random& random, store::Store& behind, const LeasedStoreOptions& options,
                         std::shared_ptr<const rules::Policy> policy)
    : loop_(loop), behind_(behind), table_(random, options.max_keys), shares_(random, options.max_keys) {
  set_policy(std::move(policy));
  behind_.set_sink(*this);
}

LeasedStore::~LeasedStore() {
  loop_.stop_timer(tick_timer_);
}

void LeasedStore::set_policy(std::shared_ptr<const rules::Policy> policy) {
  policy_ = std::move(policy);
  terms_.clear();
  other_terms_ = nullptr;
  policy_->for_each_limit([this](const rules::Rule& rule, const limiter::Limit& limit) {
    terms_.emplace(&limit, lease::Terms::make(limit, settings_of(rule.lease)));
  });
}

lease::TermsPtr LeasedStore::terms_of(const limiter::Limit& limit) const {
  if (const auto found = terms_.find(&limit); found != terms_.end()) return found->second;
  if (!other_terms_ || other_terms_->limit() != limit) {
    other_terms_ = lease::Terms::make(limit, settings_of(policy_->default_lease()));
  }
  return other_terms_;
}

std::optional<store::Outcome> LeasedStore::lease(const store::LeaseRequest& request, std::uint64_t tag) {
  SLUICE_ASSERT(request.needs.size() == 1 && request.needs.front().count == 1);
  const std::int64_t cost = request.needs.front().cost;
  const lease::Answer answer = table_.take(request.key, terms_of(*request.limit), cost, tag, now(), actions_);
  after_event();
  if (answer.status == lease::Status::waiting) return std::nullopt;
  return outcome_of(answer, cost);
}

std::optional<store::Outcome> LeasedStore::glance(std::string_view key, const limiter::Limit& limit,
                                                  std::int64_t cost) const {
  return outcome_of(table_.glance(key, *terms_of(limit), cost, now()).figures);
}

std::optional<store::Outcome> LeasedStore::peek(std::string_view key, const limiter::Limit& limit,
                                                std::int64_t cost, std::uint64_t tag) {
  if (cost == 0) {
    if (const auto known = table_.known(key, now())) return outcome_of(*known);
  }
  const std::uint64_t id = next_passed_++;
  return pass(behind_.peek(key, limit, cost, passed_tag(id)), id,
              {.kind = Passed::Kind::peek, .tag = tag, .key = std::string(key), .cost = cost});
}

std::optional<store::Outcome> LeasedStore::give_back(const store::GiveBack& request, std::uint64_t tag) {
  if (request.granted_at) {
    const lease::Figures figures = table_.put_back(request.key, terms_of(*request.limit), request.tokens,
                                                   {.good_until = request.good_until.value_or(Instant::min()),
                                                    .granted_at = *request.granted_at,
                                                    .generation = request.generation},
                                                   now(), actions_);
    after_event();
    return outcome_of(figures);
  }
  const std::uint64_t id = next_passed_++;
  return pass(behind_.give_back(request, passed_tag(id)), id,
              {.kind = Passed::Kind::refund, .tag = tag, .key = std::string(request.key)});
}

std::optional<store::Outcome> LeasedStore::reset(std::string_view key, const limiter::Limit& limit,
                                                 std::uint64_t tag) {
  table_.forget(key);
  const std::uint64_t id = next_passed_++;
  return pass(behind_.reset(key, limit, passed_tag(id)), id,
              {.kind = Passed::Kind::reset, .tag = tag, .key = std::string(key)});
}

store::Generation LeasedStore::generation_of(std::string_view key) const {
  return behind_.generation_of(key);
}

WallTime LeasedStore::wall_now() {
  // The store's clock decides, but it is not there. Whole microseconds, as it has them.
  return std::chrono::floor<std::chrono::microseconds>(
      wall_.advance(loop_.clock().now(), loop_.clock().wall_now()));
}

std::optional<store::Outcome> LeasedStore::take_share(std::string_view key, const limiter::Limit& limit,
                                                      std::int64_t cost) {
  Portion portion;
  std::optional<std::int64_t> left;
  // To rank a fleet takes a hash for each of its daemons: once for each key, not for each check.
  if (!shares_.holds(key, limit)) {
    portion = portion_in(behind_.fleet_of(key), key);
    if (const auto known = table_.known(key, now())) left = known->remaining - table_.held(key, now());
  }
  const limiter::Verdict verdict = shares_.take(key, limit, cost, portion, left, wall_now());
  table_.watch(key);
  after_event();
  store::Outcome outcome =
      outcome_of({.remaining = verdict.remaining,
                  .retry_after = verdict.allowed ? Duration::zero() : verdict.retry_after,
                  .reset_after = verdict.reset_after});
  if (verdict.allowed) outcome.grant.granted_needs = cost;
  return outcome;
}

void LeasedStore::put_share_back(std::string_view key, std::int64_t tokens) {
  shares_.put_back(key, tokens, wall_now());
}

std::optional<store::Outcome> LeasedStore::pass(std::optional<store::Outcome> outcome, std::uint64_t id,
                                                Passed passed) {
  if (outcome) return completed(passed, *std::move(outcome));
  passed_.emplace(id, std::move(passed));
  return std::nullopt;
}

store::Outcome LeasedStore::completed(const Passed& passed, store::Outcome outcome) {
  if (outcome.error) return outcome;
  store::Grant& grant = outcome.grant;
  if (passed.kind == Passed::Kind::refund) {
    table_.heard(passed.key, grant.remaining, grant.reset_after, now());
  }
  // What is at hand counts as used in the store, and is not.
  const std::int64_t held = table_.held(passed.key, now());
  grant.remaining += held;
  if (passed.kind == Passed::Kind::peek && held >= passed.cost) grant.retry_after = Duration::zero();
  return outcome;
}

void LeasedStore::on_outcome(std::uint64_t tag, const store::Outcome& outcome) {
  if (tag == kReturnTag) {
    --returns_in_flight_;
    finish_drain();
    return;
  }
  if (tag % 2 == 0) {
    --asks_in_flight_;
    on_leased(tag / 2, outcome);
    act();
    after_event();
    finish_drain();
    return;
  }
  const auto found = passed_.find(tag / 2);
  SLUICE_ASSERT(found != passed_.end());
  const Passed passed = std::move(found->second);
  passed_.erase(found);
  sink_->on_outcome(passed.tag, completed(passed, outcome));
}

void LeasedStore::on_leased(std::uint64_t id, const store::Outcome& outcome) {
  if (!outcome.error) {
    table_.granted(id, grant_of(outcome.grant), now(), actions_);
  } else {
    const bool lost = *outcome.error == store::StoreError::unknown;
    table_.failed(id, lost ? lease::Failure::unknown : lease::Failure::unavailable, now(), actions_);
  }
  if (draining_) table_.drain(now(), actions_);
}

void LeasedStore::after_event() {
  if ((table_.wants_to_ask() || !actions_.returns.empty()) && !flush_deferred_) {
    flush_deferred_ = true;
    loop_.defer([this, watch = liveness_.watch()] {
      if (watch) flush();
    });
  }
  if (tick_timer_ == 0 && (table_.size() > 0 || shares_.size() > 0)) {
    tick_timer_ = loop_.start_timer(lease::Keys::kSlot, [this] { tick(); });
  }
}

void LeasedStore::flush() {
  flush_deferred_ = false;
  table_.compose(now(), actions_);
  act();
  after_event();
}

void LeasedStore::tick() {
  tick_timer_ = 0;
  table_.tick(now(), actions_);
  book_shares();
  act();
  after_event();
}

void LeasedStore::book_shares() {
  if (shares_.size() == 0) return;
  const auto reachable = [this](std::string_view key) { return behind_.generation_of(key) != 0; };
  for (const LocalShares::Booking& booking : shares_.book(kBookingsPerTick, wall_now(), reachable)) {
    table_.owe(booking.key, terms_of(booking.limit), booking.tokens, now(), actions_);
  }
}

void LeasedStore::act() {
  // The sink may come back with more while this goes on.
  while (!actions_.empty()) {
    const lease::Actions todo = std::exchange(actions_, {});
    for (const std::string& key : todo.reached) shares_.reached(key);
    for (const lease::Return& tokens : todo.returns) send(tokens);
    for (const lease::Ask& ask : todo.asks) send(ask);
    for (const lease::Resolved& resolved : todo.resolved) {
      sink_->on_outcome(resolved.tag, outcome_of(resolved.answer, resolved.cost));
    }
  }
}

void LeasedStore::send(const lease::Ask& ask) {
  std::vector<store::Need> needs;
  needs.reserve(ask.needs.size());
  for (const lease::Need& need : ask.needs) needs.push_back({.cost = need.cost, .count = need.count});
  const auto outcome = behind_.lease(
      {.key = ask.key, .limit = &ask.terms->limit(), .needs = needs, .extra = draining_ ? 0 : ask.extra},
      lease_tag(ask.id));
  if (outcome) {
    on_leased(ask.id, *outcome);
  } else {
    ++asks_in_flight_;
  }
}

void LeasedStore::send(const lease::Return& tokens) {
  const auto outcome = behind_.give_back({.key = tokens.key,
                                          .limit = &tokens.terms->limit(),
                                          .tokens = tokens.tokens,
                                          .granted_at = tokens.granted_at,
                                          .generation = tokens.generation},
                                         kReturnTag);
  if (!outcome) ++returns_in_flight_;
}

void LeasedStore::drain(std::function<void()> done) {
  SLUICE_ASSERT(!draining_);
  draining_ = true;
  drained_ = std::move(done);
  table_.drain(now(), actions_);
  loop_.defer([this, watch = liveness_.watch()] {
    if (!watch) return;
    act();
    finish_drain();
  });
}

void LeasedStore::finish_drain() {
  if (!drained_ || returns_in_flight_ > 0 || asks_in_flight_ > 0) return;
  std::exchange(drained_, {})();
}

}  // namespace sluice::engine
