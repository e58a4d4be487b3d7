// What a RedisStore does between attaching and serving, so that no history grants what another has granted:
// it makes itself known, debits again what is lacking, and says so. And how it stays known.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/time.h"
#include "store/redis/attach_codec.h"
#include "store/redis/errors.h"
#include "store/redis/ledger.h"
#include "store/redis/redis_store.h"
#include "store/redis/reply.h"
#include "store/redis/request.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "store/store.h"

namespace sluice::store::redis {
namespace {

/// Longest that joining waits for a replica. It keeps the connection, which has nothing else to do yet.
constexpr std::chrono::milliseconds kJoinWait{150};
/// Rebooking is pipelined, and leaves room for the answers of others.
constexpr std::size_t kRebooksAtOnce = 128;

}  // namespace

// Joining: a new master that does not know of us would not wait for us. So nothing is debited before one
// replica knows; but a fleet whose replicas are away goes on.

void RedisStore::await_replica() {
  phase_ = Phase::joining;
  const auto longest = std::min<Duration>(kJoinWait, options_.connection.command_timeout / 2);
  const auto wait =
      std::max(std::chrono::floor<std::chrono::milliseconds>(longest), std::chrono::milliseconds{1});
  const std::string milliseconds = std::to_string(wait.count());
  const std::array<std::string_view, 3> command = {"WAIT", "1", milliseconds};
  const std::uint64_t tag = next_tag_++;
  if (!connection_.send(command, tag)) return connection_.drop("too much in flight to join");
  replica_tag_ = tag;
}

void RedisStore::replica_answered(const Reply& reply) {
  replica_tag_ = 0;
  if (reply.kind != Reply::Kind::integer || reply.integer < 1) ++counters_.unreplicated_joins;
  phase_ = Phase::rebooking;
  rebook();
}

// Rebooking.

void RedisStore::rebook() {
  const Instant now = loop_.clock().now();
  while (!to_rebook_.empty() && rebooking_ < kRebooksAtOnce) {
    const std::string counter = std::move(to_rebook_.back());
    to_rebook_.pop_back();
    std::vector<Lost> lost = ledger_.lost(counter, lines_, history_began_, now);
    if (lost.empty()) continue;  // has died
    Request request{.script = Script::rebook, .counter = counter, .limit = ledger_.limit_of(counter)};
    request.lost = std::move(lost);
    encode_now(request, clock_.expected_now());
    if (!send(request, Form::by_name)) return attach_failed(ErrorKind::other, "too much in flight to rebook");
    ++rebooking_;
  }
  if (rebooking_ == 0) all_rebooked();
}

void RedisStore::all_rebooked() {
  const std::uint64_t keys = counters_.rebooked_keys - std::exchange(keys_before_, counters_.rebooked_keys);
  const std::uint64_t tokens =
      counters_.rebooked_tokens - std::exchange(tokens_before_, counters_.rebooked_tokens);
  const auto watch = liveness_.watch();
  if (keys > 0) events_.on_rebooked(keys, tokens);
  if (!watch) return;
  if (acknowledged_) return serve();
  phase_ = Phase::acknowledging;
  announce(Form::by_name, Announcement::alive);
}

void RedisStore::rebooked(const Request& request, const Grant& answer) {
  --rebooking_;
  SLUICE_ASSERT(request.lineage == lineage_);  // another one would have refused it
  ledger_.rebooked(request.counter, lines_, answer, loop_.clock().now());
  ++counters_.rebooked_keys;
  counters_.rebooked_tokens += static_cast<std::uint64_t>(answer.granted_needs);
  if (phase_ == Phase::rebooking) rebook();
}

void RedisStore::rebook_failed(const Request& request, StoreError error) {
  --rebooking_;
  if (error == StoreError::foreign) {
    // Somebody has overwritten the counter, and with it all that it counted.
    ledger_.forget(request.counter);
    if (phase_ == Phase::rebooking) rebook();
    return;
  }
  to_rebook_.clear();
  phase_ = Phase::none;
  connection_.drop("rebooking failed");
}

void RedisStore::rebook_in_other_history(const Request& request) {
  // It stays in the ledger, and attaching says whether the new history lacks it as well.
  --rebooking_;
  if (request.lineage != lineage_) {
    if (phase_ == Phase::rebooking) rebook();
    return;
  }
  to_rebook_.clear();
  phase_ = Phase::none;
  if (attach_tag_ == 0) attach(Form::by_name);
}

// Announcing.

void RedisStore::announce(Form form, Announcement announcement) {
  if (announce_tag_ != 0) return;  // its answer goes on from here
  const std::uint64_t tag = next_tag_++;
  const std::array<std::string_view, 1> keys = {meta_};
  const Arguments arguments = encode_announce(lineage_, self_, clock_.own_time(), announcement);
  if (send_script(Script::announce, form, keys, arguments, tag)) {
    announce_tag_ = tag;
    announce_form_ = form;
    announcement_ = announcement;
  } else if (!serving()) {
    connection_.drop("too much in flight to announce");
  }
}

void RedisStore::announce_answered(const Reply& reply) {
  announce_tag_ = 0;
  if (reply.kind == Reply::Kind::error) {
    const ErrorKind kind = classify(reply.text);
    counters_.errors.count(kind);
    if (kind == ErrorKind::noscript && announce_form_ == Form::by_name) {
      return announce(Form::whole, announcement_);
    }
    const std::string text = for_people(reply.text);
    if (!serving()) return attach_failed(kind, text);
    if (kind == ErrorKind::readonly || kind == ErrorKind::masterdown) connection_.drop(text);
    return events_.on_refused(kind, text);
  }
  const auto answer = decode_announce(reply);
  if (!answer) {
    counters_.errors.count(ErrorKind::other);
    if (!serving()) return attach_failed(ErrorKind::other, answer.error().message);
    return events_.on_refused(ErrorKind::other, answer.error().message);
  }
  announced(*answer);
}

void RedisStore::announced(const Announced& announced) {
  if (announced.other_lineage) {
    if (attach_tag_ == 0) attach(Form::by_name);
    return;
  }
  if (announced.server_time) clock_.heard(*announced.server_time);
  know(announced.members);
  if (phase_ == Phase::acknowledging) return serve();
  if (leaving_ && announcement_ != Announcement::leaving) announce(Form::by_name, Announcement::leaving);
}

void RedisStore::announce_later() {
  loop_.stop_timer(announce_timer_);
  announce_timer_ = loop_.start_timer(options_.announce_every, [this] {
    announce_later();
    ledger_.sweep(loop_.clock().now());
    if (announce_tag_ == 0 && attach_tag_ == 0 && serving()) announce(Form::by_name, Announcement::alive);
  });
}

void RedisStore::know(std::vector<std::string> members) {
  members_ = std::move(members);
  const auto at = std::ranges::lower_bound(members_, self_);
  if (at == members_.end() || *at != self_) members_.insert(at, self_);
}

void RedisStore::leave() {
  if (!serving()) return;
  leaving_ = true;
  loop_.stop_timer(std::exchange(announce_timer_, 0));
  announce(Form::by_name, Announcement::leaving);
}

}  // namespace sluice::store::redis
