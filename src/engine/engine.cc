#include "engine/engine.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/time.h"
#include "engine/decision.h"
#include "engine/pending.h"
#include "engine/throttle_limits.h"
#include "rules/descriptor.h"
#include "rules/policy.h"
#include "store/store.h"

namespace sluice::engine {
namespace {

/// A store tag names the check and the part: parts are at most this many per check.
constexpr std::uint64_t kMaxParts = 1U << 16U;

}  // namespace

Engine::Engine(Loop& loop, store::Store& store, const EngineOptions& options,
               std::shared_ptr<const rules::Policy> policy)
    : loop_(loop),
      store_(store),
      options_(options),
      policy_(std::move(policy)),
      statistics_(loop.clock(), policy_) {
  throttle_rule_.name = "cl.throttle";
  throttle_rule_.index = kThrottleIndex;
  store_.set_sink(*this);
}

Engine::~Engine() {
  for (auto& [id, check] : waiting_) loop_.stop_timer(check->timer);
}

void Engine::set_policy(std::shared_ptr<const rules::Policy> policy) {
  policy_ = std::move(policy);
  statistics_.set_policy(policy_);
}

void Engine::set_max_wait(Duration max_wait) {
  options_.max_wait = max_wait;
}

const CheckResult* Engine::run(Operation operation, rules::Descriptors descriptors, std::int64_t cost,
                               AnswerSink& sink, std::uint64_t tag) {
  SLUICE_ASSERT(valid_cost(cost));
  current_.operation = operation;
  current_.cost = cost;
  current_.throttle_limit.reset();
  current_.result.policy = policy_;
  policy_->match(descriptors, current_.matched);
  return start(current_, sink, tag);
}

Result<const CheckResult*> Engine::throttle(std::string_view key, const ThrottleNumbers& numbers,
                                            std::int64_t cost, AnswerSink& sink, std::uint64_t tag) {
  SLUICE_ASSERT(valid_cost(cost));
  auto limit = throttle_limits_.get(numbers);
  if (!limit) return std::unexpected(limit.error());
  current_.operation = Operation::check;
  current_.cost = cost;
  current_.throttle_limit = *std::move(limit);
  current_.result.policy = policy_;
  current_.matched.bypassed = false;
  current_.matched.matches.resize(1);
  current_.matched.matches[0] = {.rule = &throttle_rule_,
                                 .limit = current_.throttle_limit.get(),
                                 .override_index = -1,
                                 .key = throttle_key(key)};
  return start(current_, sink, tag);
}

const CheckResult* Engine::start(Pending& check, AnswerSink& sink, std::uint64_t tag) {
  check.sample = check.operation == Operation::check ? statistics_.next_sample() : 0;
  if (check.sample > 0) check.began = loop_.clock().precise_now();  // for the others no clock is read
  check.parts.clear();
  check.answered = false;
  check.id = 0;
  if (!check.matched.bypassed) {
    for (const rules::Match& match : check.matched.matches) {
      if (match.limit != nullptr)
        check.parts.push_back({.match = &match, .outcome = std::nullopt, .share = std::nullopt});
    }
  } else {
    check.matched.matches.clear();
  }
  SLUICE_ASSERT(check.parts.size() < kMaxParts);
  // With no room to wait the store is not asked at all: a grant that nobody can take would be lost.
  if (waiting_.size() >= options_.max_waiting) return &conclude(check);
  if (known_denied(check)) return &conclude(check);
  const std::uint64_t id = next_id_++;
  for (std::size_t i = 0; i < check.parts.size(); ++i) {
    check.parts[i].outcome = ask(check, check.parts[i], id * kMaxParts + i);
  }
  if (check.open_parts() > 0) {
    check.id = id;
    park(check, sink, tag);
    return nullptr;
  }
  return &conclude(check);
}

bool Engine::known_denied(Pending& check) {
  // With one limit the answer is as cheap; a check of several must not ask the store about the others.
  if (check.operation != Operation::check || check.cost == 0 || check.parts.size() < 2) return false;
  bool denied = false;
  bool all_known = true;
  for (Part& part : check.parts) {
    part.outcome = store_.glance(part.match->key, *part.match->limit, check.cost);
    all_known = all_known && part.outcome;
    if (!all_known) break;
    denied = denied || (!part.match->rule->shadow && part.outcome->grant.retry_after != Duration::zero());
  }
  if (all_known && denied) return true;
  for (Part& part : check.parts) part.outcome.reset();
  return false;
}

std::optional<store::Outcome> Engine::ask(const Pending& check, const Part& part, std::uint64_t store_tag) {
  const rules::Match& match = *part.match;
  switch (check.operation) {
    case Operation::check: {
      // A cost of 0 only looks.
      if (check.cost == 0) return store_.peek(match.key, *match.limit, 0, store_tag);
      const std::array<store::Need, 1> needs{{{.cost = check.cost, .count = 1}}};
      return store_.lease({.key = match.key, .limit = match.limit, .needs = needs, .extra = 0}, store_tag);
    }
    case Operation::peek:
      return store_.peek(match.key, *match.limit, check.cost, store_tag);
    case Operation::refund:
      return store_.give_back({.key = match.key,
                               .limit = match.limit,
                               .tokens = check.cost,
                               .granted_at = std::nullopt,
                               .generation = 0},
                              store_tag);
    case Operation::reset:
      return store_.reset(match.key, *match.limit, store_tag);
  }
  SLUICE_ASSERT(false);
}

void Engine::park(Pending& check, AnswerSink& sink, std::uint64_t tag) {
  auto parked = std::make_unique<Pending>(std::move(check));
  check = Pending{};
  // Parts point into the matches, which moved with them: a vector's elements stay where they are.
  parked->sink = &sink;
  parked->tag = tag;
  const std::uint64_t id = parked->id;
  parked->began = loop_.clock().now();
  parked->deadline = parked->began + options_.max_wait;
  parked->timer = loop_.start_timer(options_.max_wait, [this, id] { expire(id); });
  waiting_.emplace(id, std::move(parked));
}

void Engine::on_outcome(std::uint64_t tag, const store::Outcome& outcome) {
  const std::uint64_t id = tag / kMaxParts;
  auto found = waiting_.find(id);
  if (found != waiting_.end() && overdue(*found->second)) {
    loop_.stop_timer(found->second->timer);
    expire(id);
    found = waiting_.find(id);
  }
  if (found == waiting_.end()) {
    statistics_.count_late();
    return;
  }
  Pending& check = *found->second;
  Part& part = check.parts[tag % kMaxParts];
  SLUICE_ASSERT(!part.outcome);
  part.outcome = outcome;
  if (check.answered) statistics_.count_late();
  if (check.open_parts() > 0) return;
  const std::unique_ptr<Pending> done = std::move(found->second);
  waiting_.erase(found);
  loop_.stop_timer(done->timer);
  if (done->answered) {
    // It was answered by policy while this was on its way. If that was "no", nothing may stay taken; if it
    // was "yes", what was taken is what was admitted.
    if (!done->result.overall.allowed) return_tokens(*done);
    return_shares(*done);
    return;
  }
  const CheckResult& result = conclude(*done);
  if (done->sink != nullptr) done->sink->on_answer(done->tag, result);
}

/// A process that was stopped for a while finds its replies before its timers. What was debited back then
/// must not be spent now, in another window.
bool Engine::overdue(const Pending& check) const {
  return !check.answered && loop_.clock().now() >= check.deadline;
}

void Engine::expire(std::uint64_t id) {
  const auto found = waiting_.find(id);
  SLUICE_ASSERT(found != waiting_.end());
  Pending& check = *found->second;
  const CheckResult& result = conclude(check);
  check.answered = true;  // it stays until the store has answered or failed every part
  if (check.sink != nullptr) check.sink->on_answer(check.tag, result);
}

const CheckResult& Engine::conclude(Pending& check) {
  ask_for_shares(check);
  conclude_parts(check);
  if (check.operation == Operation::check) {
    if (!check.result.overall.allowed) return_tokens(check);
    statistics_.count(check);
    if (check.id != 0) {
      statistics_.record_waited(loop_.clock().now() - check.began);
    } else if (check.sample > 0) {
      statistics_.record_local(loop_.clock().precise_now() - check.began);
    }
  }
  return check.result;
}

void Engine::ask_for_shares(Pending& check) {
  const bool peeks = check.operation == Operation::peek;
  if ((!peeks && check.operation != Operation::check) || check.cost == 0) return;
  for (Part& part : check.parts) {
    if (part.outcome && !part.outcome->error) continue;
    if (part.match->rule->on_store_failure != rules::FailurePolicy::share) continue;
    part.share = store_.take_share(part.match->key, *part.match->limit, check.cost);
    if (peeks && part.share) store_.put_share_back(part.match->key, part.share->grant.granted_needs);
  }
}

/// The store has counted, after all, what was let through without it.
void Engine::return_shares(Pending& check) {
  for (Part& part : check.parts) {
    const bool counted = part.outcome && !part.outcome->error && part.outcome->grant.granted_needs > 0;
    if (!counted || !part.share || part.share->grant.granted_needs == 0) continue;
    store_.put_share_back(part.match->key, std::exchange(part.share->grant.granted_needs, 0));
  }
}

void Engine::return_tokens(Pending& check) {
  std::size_t next_part = 0;
  for (RuleDecision& rule : check.result.rules) {
    if (rule.decision.limit == kUnlimited) continue;
    Part& part = check.parts[next_part++];
    if (part.share && part.share->grant.granted_needs > 0) {
      const std::int64_t unused = std::exchange(part.share->grant.granted_needs, 0);
      store_.put_share_back(part.match->key, unused);
      rule.decision.remaining += unused;
    }
    if (!part.outcome || part.outcome->error || part.outcome->grant.granted_needs == 0) continue;
    store::Grant& grant = part.outcome->grant;
    // Under a tag that is no check's: an answer that comes later interests nobody.
    const auto after = store_.give_back({.key = part.match->key,
                                         .limit = part.match->limit,
                                         .tokens = grant.granted_needs,
                                         .granted_at = grant.granted_at,
                                         .generation = grant.generation,
                                         .good_until = grant.good_until},
                                        0);
    rule.decision.remaining += grant.granted_needs;
    grant.granted_needs = 0;
    if (!after || after->error) continue;
    rule.decision.remaining = after->grant.remaining;
    rule.decision.reset_after = after->grant.reset_after;
    rule.decision.warning = warns(*rule.rule, rule.decision.limit, rule.decision.remaining);
  }
}

void Engine::forget(const AnswerSink& sink) {
  for (auto& [id, check] : waiting_) {
    if (check->sink == &sink) check->sink = nullptr;
  }
}

}  // namespace sluice::engine
