#include "store/redis/sentinel_link.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "store/redis/connection.h"
#include "store/redis/errors.h"
#include "store/redis/reply.h"
#include "store/redis/sentinel_replies.h"

namespace sluice::store::redis {
namespace {

enum class Question : std::uint8_t { epoch, address };
constexpr std::uint64_t kQuestions = 2;

constexpr std::uint64_t tag_of(std::size_t master, Question question) {
  return master * kQuestions + std::to_underlying(question);
}
constexpr std::size_t master_of(std::uint64_t tag) {
  return tag / kQuestions;
}
constexpr Question question_of(std::uint64_t tag) {
  return Question{static_cast<std::uint8_t>(tag % kQuestions)};
}

constexpr std::uint64_t kSubscribe = 0;
constexpr std::uint64_t kProbe = 1;

ConnectionOptions with_pushes(ConnectionOptions options) {
  options.pushes = true;
  return options;
}

}  // namespace

SentinelLink::SentinelLink(Loop& loop, Connector& connector, Random& random, SentinelLinkEvents& events,
                           std::size_t sentinel, const std::vector<std::string>& masters,
                           const ConnectionOptions& options)
    : events_(events),
      sentinel_(sentinel),
      masters_(masters),
      epochs_(masters.size()),
      questions_events_(*this),
      subscription_events_(*this),
      questions_(loop, connector, random, questions_events_, options),
      subscription_(loop, connector, random, subscription_events_, with_pushes(options)) {}

void SentinelLink::start() {
  questions_.start();
  subscription_.start();
}

bool SentinelLink::ask(std::size_t master) {
  if (!questions_.ready()) return !unreachable_;
  // The epoch first: should the master change in between, the address is newer than the epoch, which is then
  // no reason to take it. The other way round an old address would come with a new epoch.
  const std::string& name = masters_[master];
  using Words = std::array<std::string_view, 3>;
  return questions_.send(Words{"SENTINEL", "MASTER", name}, tag_of(master, Question::epoch)) &&
         questions_.send(Words{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name},
                         tag_of(master, Question::address));
}

void SentinelLink::probe_subscription() {
  // Not to be told of switches for a while is no harm, since the sentinel is asked, too: so nothing hangs on
  // whether this can be sent, and one that does not answer is disconnected by its deadline.
  if (subscription_.ready())
    static_cast<void>(subscription_.send(std::array<std::string_view, 1>{"PING"}, kProbe));
}

void SentinelLink::silent_about_all() {
  const auto watch = liveness_.watch();
  for (std::size_t master = 0; master < epochs_.size() && watch; ++master)
    events_.on_silence(sentinel_, master);
}

// The connection that questions go over.

void SentinelLink::Questions::on_ready() {
  link_.unreachable_ = false;
  link_.events_.on_reachable(link_.sentinel_);
}

void SentinelLink::Questions::on_down(std::string_view reason) {
  link_.events_.on_failed(link_.sentinel_, reason);
}

void SentinelLink::Questions::on_attempt_failed(std::string_view reason) {
  link_.unreachable_ = true;
  const auto watch = link_.liveness_.watch();
  link_.events_.on_failed(link_.sentinel_, reason);
  if (watch) link_.silent_about_all();
}

void SentinelLink::Questions::on_reply(std::uint64_t tag, const Reply& reply) {
  const std::size_t master = master_of(tag);
  if (question_of(tag) == Question::epoch) {
    link_.epochs_[master] = parse_config_epoch(reply);  // it may not let us ask, which is no matter
    return;
  }
  auto address = parse_master_address(reply);
  const auto epoch = std::exchange(link_.epochs_[master], {});
  if (address) {
    return link_.events_.on_answer(link_.sentinel_, master, {.master = *std::move(address), .epoch = epoch});
  }
  const auto watch = link_.liveness_.watch();
  link_.events_.on_failed(link_.sentinel_, address.error().message);
  if (watch) link_.events_.on_silence(link_.sentinel_, master);
}

void SentinelLink::Questions::on_lost_reply(std::uint64_t tag) {
  const std::size_t master = master_of(tag);
  link_.epochs_[master].reset();
  if (question_of(tag) == Question::address) link_.events_.on_silence(link_.sentinel_, master);
}

// The connection that subscribes.

void SentinelLink::Subscription::on_ready() {
  static_cast<void>(
      link_.subscription_.send(std::array<std::string_view, 2>{"SUBSCRIBE", "+switch-master"}, kSubscribe));
}

void SentinelLink::Subscription::on_down(std::string_view reason) {
  link_.events_.on_failed(link_.sentinel_, reason);
}

void SentinelLink::Subscription::on_reply(std::uint64_t tag, const Reply& reply) {
  if (tag != kSubscribe) return;
  if (reply.kind == Reply::Kind::error) {
    link_.events_.on_failed(link_.sentinel_, "does not tell of switches: " + for_people(reply.text));
  } else {
    link_.events_.on_reachable(link_.sentinel_);
  }
}

void SentinelLink::Subscription::on_push(const Reply& push) {
  constexpr std::size_t kItems = 3;  // "message", the channel, the text
  if (push.items.size() != kItems) return;
  const auto change = parse_switch(push.items[2].text);
  if (change) link_.events_.on_switch(link_.sentinel_, *change);
}

}  // namespace sluice::store::redis
