#include "sim/world/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "base/time.h"
#include "sim/check/conservation.h"
#include "sim/core/draw.h"
#include "sim/network/network.h"
#include "sim/world/app.h"
#include "sim/world/daemon_node.h"
#include "sim/world/plan.h"
#include "sim/world/states.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

/// Of saturating traffic.
constexpr Duration kConverge = 8s;
/// What faults take to end by themselves, and clients to come back: the longest pause or restart, the longest
/// wait between two attempts, and how long a wrong belief of a sentinel or a cluster's node lives.
constexpr Duration kRecovery = 30s;

}  // namespace

World::World(const Plan& plan, std::FILE* out)
    : plan_(plan),
      trace_(out),
      draw_(plan.seed),
      books_(timeline_, trace_, plan_, states_),
      network_(timeline_, trace_, draw_.fork(10), plan_.network),
      surroundings_{.timeline = timeline_,
                    .network = network_,
                    .trace = trace_,
                    .plan = plan_,
                    .books = books_,
                    .states = states_},
      servers_(surroundings_, draw_.fork(11)),
      chaos_(surroundings_, {.servers = servers_, .daemons = daemons_, .apps = apps_}, draw_.fork(12)) {
  for (std::size_t i = 0; i < plan_.daemons; ++i) {
    daemons_.push_back(std::make_unique<DaemonNode>(surroundings_, i, draw_.fork(100 + i)));
    daemons_.back()->start();
    for (std::size_t app = 0; app < plan_.apps; ++app) {
      apps_.push_back(std::make_unique<App>(surroundings_, daemons_[i]->host(), daemons_[i]->clock(),
                                            draw_.fork(1000 + i * 10 + app),
                                            fmt::format("app-{}-{}", i, app)));
    }
  }
}

World::~World() {
  // Applications first: their ends of connections are what the daemons would otherwise hear of.
  apps_.clear();
  daemons_.clear();
}

void World::wrong(std::string what) {
  constexpr std::size_t kMost = 12;
  if (violations_.size() < kMost) violations_.push_back(std::move(what));
}

void World::run_for(Duration length) {
  timeline_.run_until(timeline_.now() + length);
}

void World::set_load(App::Load load) {
  for (const auto& app : apps_) app->load(load);
}

bool World::all_serve() const {
  return std::ranges::all_of(daemons_, [](const auto& daemon) { return daemon->serving(); });
}

Outcome World::run() {
  run_for(draw_.fork(13).between(Duration::zero(), Duration(3s)));
  chaos_.begin();
  run_for(plan_.chaos);
  chaos_.heal();
  recover();
  converge();
  check_limits();
  if (books_.made_up()) wrong("made up: " + *books_.made_up());
  for (const auto& app : apps_) {
    app->finish();
    for (const std::string& text : app->violations()) wrong(text);
  }
  Outcome outcome{.seed = plan_.seed, .simulated = timeline_.now()};
  for (const auto& daemon : daemons_) {
    daemon->report_states();
    for (const std::string& text : daemon->violations()) wrong(text);
  }
  for (const auto& app : apps_) outcome.answers += app->answers();
  for (std::size_t i = 0; i < kFaults; ++i) outcome.faults[i] = chaos_.injected(static_cast<Fault>(i));
  outcome.violations = violations_;
  outcome.events = timeline_.events_run();
  outcome.admitted = books_.admitted_tokens();
  outcome.states = states_;
  outcome.network = network_.counters();
  trace_.note(
      timeline_.now(), "end",
      fmt::format("{} {} {} {}", outcome.answers, outcome.admitted, outcome.events, violations_.size()));
  outcome.hash = trace_.hash();
  return outcome;
}

/// Everybody is served again within a while that is known beforehand.
void World::recover() {
  const SimTime by = timeline_.now() + kRecovery + plan_.repair_timeout;
  while (timeline_.now() < by) {
    run_for(200ms);
    if (all_serve()) return;
  }
  for (const auto& daemon : daemons_) {
    if (!daemon->serving()) {
      wrong(fmt::format("{} is not served by all of its store {} after all was mended", daemon->member(),
                        format_duration(kRecovery + plan_.repair_timeout)));
    }
  }
}

void World::converge() {
  // All leases end, and a history that waits for somebody who is gone waits no more.
  const Duration quiet = std::max<Duration>(plan_.lease_ttl + 3s, plan_.repair_timeout + 1s);
  set_load(App::Load::none);
  run_for(quiet);
  const Totals before = totals();
  // What was let through by shares is debited when its counter is next asked for; what a server refused of it
  // is asked for once a second, though nobody else asks.
  const SimTime from = timeline_.now();
  const bool debts =
      from - books_.last_asked() < 2s ||
      std::ranges::any_of(
          daemons_, [](const auto& daemon) { return daemon->figure("lease_keys_shared_out") > 0; });
  set_load(App::Load::saturating);
  run_for(kConverge);
  const SimTime to = timeline_.now();
  set_load(App::Load::none);
  run_for(quiet);
  if (all_serve()) {
    if (!debts) check_conservation(before, totals());
    check_use(from, to);
  } else if (violations_.empty() && !plan_.sluggish) {
    wrong("a daemon lost its store although nothing goes wrong any more");
  }
}

World::Totals World::totals() const {
  Totals totals{.debited = books_.granted_tokens(),
                .admitted = books_.admitted_tokens(),
                .degraded = states_.count(State::degraded_answer)};
  const auto add = [](std::int64_t& sum, std::uint64_t figure) { sum += static_cast<std::int64_t>(figure); };
  for (const auto& daemon : daemons_) {
    add(totals.granted, daemon->figure("lease_tokens_granted"));
    add(totals.returned, daemon->figure("lease_tokens_returned"));
    add(totals.lapsed, daemon->figure("lease_tokens_lapsed"));
    add(totals.lost, daemon->figure("store_replies_lost"));
  }
  for (const auto& app : apps_) totals.lost += app->lost_tokens();
  return totals;
}

/// Of a time in which nothing went wrong, and at whose ends no daemon held anything.
void World::check_conservation(const Totals& before, const Totals& after) {
  // What is spent before the store knows of it, or by a policy, or lost, is in no daemon's books.
  if (plan_.initial > 0 || after.degraded != before.degraded || after.lost != before.lost) return;
  const std::int64_t granted = after.granted - before.granted;
  const std::int64_t debited = after.debited - before.debited;
  const std::int64_t spent = after.admitted - before.admitted;
  const std::int64_t returned = after.returned - before.returned;
  const std::int64_t lapsed = after.lapsed - before.lapsed;
  if (granted != debited) {
    wrong(fmt::format("conservation: the servers debited {}, and the daemons were granted {}", debited,
                      granted));
  }
  const auto unbalanced =
      imbalance({.granted = granted, .spent = spent, .returned = returned, .lapsed = lapsed});
  if (unbalanced) wrong("conservation: " + *unbalanced);
}

}  // namespace sluice::sim
