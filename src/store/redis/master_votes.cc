#include "store/redis/master_votes.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <tuple>

#include "base/connector.h"
#include "base/time.h"

namespace sluice::store::redis {
namespace {

/// Sentinels were seen to learn of a switch up to 5 s after the first one did.
constexpr Duration kNoWayBack = std::chrono::seconds{30};

}  // namespace

void MasterVotes::begin(Known known) {
  for (Voter& voter : votes_) voter = {};
  // A doubt lasts until a round ends it, not until the next one begins.
  if (known == Known::in_doubt) in_doubt_ = true;
}

bool MasterVotes::on_answer(std::size_t sentinel, const MasterAnswer& answer, Instant now) {
  Voter& voter = votes_[sentinel];
  voter = {.vote = Vote::unknown_name};
  if (answer.master) voter = {.vote = Vote::address, .master = *answer.master, .epoch = answer.epoch};
  return settle(now);
}

bool MasterVotes::on_silence(std::size_t sentinel, Instant now) {
  votes_[sentinel] = {.vote = Vote::silent};
  return settle(now);
}

bool MasterVotes::on_switch(const Endpoint& from, const Endpoint& to, Instant now) {
  if (master_ != from || from == to) return false;
  left_ = from;
  left_until_ = now + kNoWayBack;
  master_ = to;
  in_doubt_ = false;
  return true;
}

MasterVotes::Round MasterVotes::round() const {
  if (count(Vote::address) > 0 && decided()) return Round::decided;
  if (count(Vote::awaited) > 0) return Round::open;
  return count(Vote::unknown_name) > 0 ? Round::unknown_name : Round::unreachable;
}

bool MasterVotes::settle(Instant now) {
  bool moved = false;
  const Voter* best = winner();
  if (best != nullptr && may_replace(*best, now)) {
    moved = master_ != best->master;
    master_ = best->master;
    epoch_ = best->epoch ? best->epoch : epoch_;
    in_doubt_ = in_doubt_ && !moved;
  }
  if (decided()) in_doubt_ = false;
  return moved;
}

/// Of the highest epoch, then with most supporters, then the first.
const MasterVotes::Voter* MasterVotes::winner() const {
  const Voter* best = nullptr;
  for (const Voter& voter : votes_) {
    if (voter.vote != Vote::address || (voter.epoch && voter.epoch < epoch_)) continue;
    const auto rank = [this](const Voter& of) { return std::tuple(of.epoch, supporters(of.master)); };
    if (best == nullptr || rank(voter) > rank(*best)) best = &voter;
  }
  return best;
}

bool MasterVotes::may_replace(const Voter& voter, Instant now) const {
  if (!master_) return decided();
  if (voter.master == *master_ || voter.epoch > epoch_) return true;
  if (voter.master == left_ && now < left_until_) return false;
  return supporters(voter.master) > votes_.size() / 2;
}

std::size_t MasterVotes::count(Vote vote) const {
  return static_cast<std::size_t>(std::ranges::count(votes_, vote, &Voter::vote));
}

std::size_t MasterVotes::supporters(const Endpoint& master) const {
  return static_cast<std::size_t>(std::ranges::count_if(votes_, [&](const Voter& voter) {
    return voter.vote == Vote::address && voter.master == master && !(voter.epoch && voter.epoch < epoch_);
  }));
}

bool MasterVotes::decided() const {
  return count(Vote::awaited) == 0 || count(Vote::address) > votes_.size() / 2;
}

}  // namespace sluice::store::redis
