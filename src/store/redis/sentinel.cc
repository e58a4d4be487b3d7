#include "store/redis/sentinel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "store/redis/connection.h"
#include "store/redis/master_votes.h"
#include "store/redis/sentinel_link.h"
#include "store/redis/sentinel_replies.h"

namespace sluice::store::redis {

SentinelWatcher::SentinelWatcher(Loop& loop, Connector& connector, Random& random, SentinelEvents& events,
                                 SentinelOptions options)
    : loop_(loop), random_(random), events_(events), options_(std::move(options)) {
  SLUICE_ASSERT(!options_.sentinels.empty() && !options_.masters.empty());
  for (std::size_t i = 0; i < options_.masters.size(); ++i)
    masters_.push_back({.votes = MasterVotes(options_.sentinels.size())});
  for (const Endpoint& sentinel : options_.sentinels) {
    ConnectionOptions connection = options_.connection;
    connection.endpoint = sentinel;
    SentinelLinkEvents& ours = *this;
    links_.push_back(std::make_unique<SentinelLink>(loop, connector, random, ours, links_.size(),
                                                    options_.masters, connection));
  }
}

SentinelWatcher::~SentinelWatcher() {
  for (const Master& master : masters_) loop_.stop_timer(master.ask_timer);
  loop_.stop_timer(poll_timer_);
}

void SentinelWatcher::start() {
  for (const auto& link : links_) link->start();
  arm_poll();
}

std::optional<Endpoint> SentinelWatcher::where(std::size_t master) const {
  return masters_[master].votes.where();
}

// Asking.

void SentinelWatcher::arm_poll() {
  const Duration half = options_.poll / 2;
  const auto jitter =
      static_cast<Duration::rep>(random_.next() % static_cast<std::uint64_t>(half.count() + 1));
  poll_timer_ = loop_.start_timer(half + Duration(jitter), [this] {
    arm_poll();
    for (const auto& link : links_) link->probe_subscription();
    for (std::size_t master = 0; master < masters_.size(); ++master) suspect(master);
  });
}

void SentinelWatcher::ask_soon(std::size_t master, MasterVotes::Known known) {
  Master& ours = masters_[master];
  if (known == MasterVotes::Known::in_doubt) ours.doubt = known;
  if (ours.ask_timer != 0) return;
  const Duration rest = std::max(Duration::zero(), ours.asked_at + options_.pause - loop_.clock().now());
  // By a timer even if it is now: what a round finds is never told from inside a call.
  ours.ask_timer = loop_.start_timer(rest, [this, master] {
    masters_[master].ask_timer = 0;
    begin_round(master, std::exchange(masters_[master].doubt, MasterVotes::Known::trusted));
  });
}

void SentinelWatcher::begin_round(std::size_t master, MasterVotes::Known known) {
  Master& ours = masters_[master];
  ours.asked_at = loop_.clock().now();
  ours.votes.begin(known);
  const auto watch = liveness_.watch();
  for (std::size_t sentinel = 0; sentinel < links_.size() && watch; ++sentinel)
    if (!links_[sentinel]->ask(master)) on_silence(sentinel, master);
}

// What sentinels say.

void SentinelWatcher::on_reachable(std::size_t sentinel) {
  const auto watch = liveness_.watch();
  for (std::size_t master = 0; master < masters_.size() && watch; ++master)
    if (!links_[sentinel]->ask(master)) on_silence(sentinel, master);
}

void SentinelWatcher::on_answer(std::size_t sentinel, std::size_t master, const MasterAnswer& answer) {
  unreachable_told_ = false;
  if (masters_[master].votes.on_answer(sentinel, answer, loop_.clock().now())) return moved(master);
  tell_what_lacks(master);
}

void SentinelWatcher::on_silence(std::size_t sentinel, std::size_t master) {
  if (masters_[master].votes.on_silence(sentinel, loop_.clock().now())) return moved(master);
  tell_what_lacks(master);
}

void SentinelWatcher::on_switch(std::size_t /*sentinel*/, const MasterSwitch& change) {
  const auto found = std::ranges::find(options_.masters, change.master);
  if (found == options_.masters.end()) return;
  const auto master = static_cast<std::size_t>(found - options_.masters.begin());
  const bool news = masters_[master].votes.on_switch(change.from, change.to, loop_.clock().now());
  suspect(master);  // for its epoch, and for the case that the event is not about what is known
  if (news) moved(master);
}

void SentinelWatcher::on_failed(std::size_t sentinel, std::string_view reason) {
  events_.on_sentinel_failed(options_.sentinels[sentinel].text(), reason);
}

void SentinelWatcher::moved(std::size_t master) {
  masters_[master].told = MasterVotes::Round::open;
  const auto where = masters_[master].votes.where();
  if (where) events_.on_master(master, *where);
}

void SentinelWatcher::tell_what_lacks(std::size_t master) {
  const MasterVotes::Round round = masters_[master].votes.round();
  if (round == MasterVotes::Round::decided) masters_[master].told = round;
  if (round == MasterVotes::Round::unknown_name && masters_[master].told != round) {
    masters_[master].told = round;
    events_.on_unknown_master(master);
  } else if (round == MasterVotes::Round::unreachable && !std::exchange(unreachable_told_, true)) {
    events_.on_unreachable();
  }
}

}  // namespace sluice::store::redis
