// How a RedisStore learns which history the server's data has, after each connecting and when it has changed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/redis/attach_codec.h"
#include "store/redis/errors.h"
#include "store/redis/lineage.h"
#include "store/redis/redis_store.h"
#include "store/redis/reply.h"
#include "store/redis/request.h"
#include "store/redis/scripts.h"
#include "store/redis/store_clock.h"
#include "store/store.h"

namespace sluice::store::redis {

void RedisStore::on_ready() {
  attach(Form::by_name);
}

void RedisStore::attach(Form form) {
  // Fresh each time: data that was emptied in between must not get the name that it had.
  const std::string nonce = fmt::format("{:016x}", random_.next());
  ledger_.sweep(loop_.clock().now());
  const AttachRequest request{.self = self_,
                              .client_time = clock_.own_time(),
                              .nonce = nonce,
                              .nothing_to_lose = ledger_.empty(),
                              .repair_timeout = options_.repair_timeout,
                              .members = members_};
  const std::uint64_t tag = next_tag_++;
  const std::array<std::string_view, 1> keys = {meta_};
  if (send_script(Script::attach, form, keys, encode_attach(request), tag)) {
    attach_sent_at_ = loop_.clock().now();
    attach_tag_ = tag;
    attach_form_ = form;
  } else {
    connection_.drop("too much in flight to attach");
  }
}

void RedisStore::attach_answered(const Reply& reply) {
  attach_tag_ = 0;
  if (reply.kind == Reply::Kind::error) {
    const ErrorKind kind = classify(reply.text);
    counters_.errors.count(kind);
    if (kind == ErrorKind::noscript && attach_form_ == Form::by_name) return attach(Form::whole);
    return attach_failed(kind, for_people(reply.text));
  }
  const auto answer = decode_attach(reply);
  if (answer) return attached(*answer);
  counters_.errors.count(ErrorKind::other);
  attach_failed(ErrorKind::other, answer.error().message);
}

void RedisStore::attached(const Attached& attached) {
  ++counters_.attaches;
  lineage_ = attached.lineage;
  lines_ = attached.lines;
  generation_ = generation_from(lineage_);
  acknowledged_ = attached.acknowledged;
  clock_.set_source(attached.server_time ? StoreClock::Source::server : StoreClock::Source::client);
  if (attached.server_time) clock_.heard(*attached.server_time);
  know(attached.members);
  history_began_ = attach_sent_at_ - std::min(attached.age, options_.repair_timeout);
  to_rebook_ = ledger_.unproven(lines_, history_began_, loop_.clock().now());
  if (attached.is_new && attached.replicas > 0) return await_replica();
  phase_ = Phase::rebooking;
  rebook();
}

void RedisStore::serve() {
  phase_ = Phase::serving;
  breaker_.succeeded();
  announce_later();
  const Generation before = std::exchange(last_generation_, generation_);
  if (before != generation_) ++counters_.histories;
  const auto watch = liveness_.watch();
  events_.on_serving(generation_, before != 0 && before != generation_);
  if (!watch) return;
  for (Request& request : std::exchange(waiting_, {})) {
    encode_now(request, clock_.expected_now());
    ask_again(std::move(request), Form::by_name);
    if (!watch) return;
  }
}

void RedisStore::attach_failed(ErrorKind kind, const std::string& text) {
  if (!serving()) phase_ = Phase::none;
  connection_.drop("attaching failed: " + text);  // what waits for it fails with the connection
  events_.on_refused(kind, text);
}

Generation RedisStore::generation_from(const Lineage& lineage) const {
  const Generation hash = hash_(fmt::format("{} {}", lineage.generation, lineage.run));
  return hash == 0 ? 1 : hash;
}

void RedisStore::on_down(std::string_view reason) {
  attach_tag_ = 0;
  loading_ = {};
  lineage_ = {};
  to_rebook_.clear();
  loop_.stop_timer(std::exchange(announce_timer_, 0));
  const bool was_serving = std::exchange(phase_, Phase::none) == Phase::serving;
  const std::vector<Request> waiting = std::exchange(waiting_, {});
  const auto watch = liveness_.watch();
  if (was_serving) {
    events_.on_lost(reason);
  } else {
    events_.on_attempt_failed(reason);
  }
  for (const Request& request : waiting) {
    if (!watch) return;
    fail(request, StoreError::unavailable);  // was told that it was not carried out
  }
}

}  // namespace sluice::store::redis
