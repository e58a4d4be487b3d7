#include "store/redis/redis_store.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "base/time.h"
#include "limiter/limit.h"
#include "store/redis/errors.h"
#include "store/redis/reply.h"
#include "store/redis/request.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "store/redis/store_clock.h"
#include "store/store.h"

namespace sluice::store::redis {
namespace {

Outcome error_outcome(StoreError error) {
  Outcome outcome;
  outcome.error = error;
  return outcome;
}

}  // namespace

RedisStore::RedisStore(Loop& loop, Connector& connector, Random& random, RedisStoreEvents& events,
                       RedisStoreOptions options)
    : loop_(loop),
      events_(events),
      random_(random),
      options_(std::move(options)),
      meta_(options_.prefix + ":@meta"),
      hash_(random),
      clock_(loop.clock()),
      breaker_(random),
      self_(options_.member.empty() ? fmt::format("{:016x}", random.next()) : options_.member),
      members_{self_},
      ledger_(random, options_.max_ledger_keys, options_.repair_timeout),
      connection_(loop, connector, random, *this, options_.connection) {
  SLUICE_ASSERT(self_.find_first_not_of("0123456789abcdef") == std::string::npos);
}

RedisStore::~RedisStore() {
  loop_.stop_timer(announce_timer_);
}

RedisStoreCounters RedisStore::counters() const {
  RedisStoreCounters all = counters_;
  all.connection = connection_.counters();
  all.ledger_keys = ledger_.size();
  all.ledger_dropped = ledger_.counters().dropped;
  return all;
}

Generation RedisStore::generation_of(std::string_view /*key*/) const {
  return serving() ? generation_ : 0;
}

// The store's contract.

Request RedisStore::make(Script script, std::string_view key, const limiter::Limit& limit,
                         std::uint64_t tag) const {
  return {
      .script = script, .tag = tag, .counter = fmt::format("{}:{}", options_.prefix, key), .limit = limit};
}

std::optional<Outcome> RedisStore::lease(const LeaseRequest& request, std::uint64_t tag) {
  Request ours = make(Script::lease, request.key, *request.limit, tag);
  ours.needs.assign(request.needs.begin(), request.needs.end());
  ours.amount = request.extra;
  return submit(std::move(ours));
}

std::optional<Outcome> RedisStore::peek(std::string_view key, const limiter::Limit& limit, std::int64_t cost,
                                        std::uint64_t tag) {
  Request ours = make(Script::peek, key, limit, tag);
  ours.amount = cost;
  return submit(std::move(ours));
}

std::optional<Outcome> RedisStore::give_back(const GiveBack& request, std::uint64_t tag) {
  if (serving() && request.generation != 0 && request.generation != generation_) {
    ++counters_.stale;
    return error_outcome(StoreError::unavailable);
  }
  Request ours = make(Script::give_back, request.key, *request.limit, tag);
  ours.amount = request.tokens;
  ours.granted_at = request.granted_at;
  ours.tokens_generation = request.generation;
  return submit(std::move(ours));
}

std::optional<Outcome> RedisStore::reset(std::string_view key, const limiter::Limit& limit,
                                         std::uint64_t tag) {
  return submit(make(Script::reset, key, limit, tag));
}

std::optional<Outcome> RedisStore::submit(Request request) {
  const Instant now = loop_.clock().now();
  if (serving() && in_flight() < options_.max_requests && breaker_.allows(now)) {
    encode_now(request, clock_.expected_now());
    if (send(request, Form::by_name)) {
      ++counters_.requests;
      return std::nullopt;
    }
    breaker_.failed(now);
  }
  ++counters_.refused;
  return error_outcome(StoreError::unavailable);
}

// Sending.

void RedisStore::encode_now(Request& request, WallTime expected_now) {
  encode(request, {.lineage = lineage_, .client_time = clock_.client_time(), .expected_now = expected_now},
         generation_);
}

bool RedisStore::send(Request& request, Form form) {
  const std::uint64_t tag = next_tag_++;
  const Script script = request.script;
  const std::array<std::string_view, 2> keys = {request.counter, meta_};
  if (!send_script(script, form, keys, request.arguments, tag)) return false;
  if (form == Form::whole) loading_[std::to_underlying(script)] = tag;
  requests_.emplace(tag, std::move(request));
  return true;
}

bool RedisStore::send_script(Script script, Form form, std::span<const std::string_view> keys,
                             const Arguments& arguments, std::uint64_t tag) {
  const ScriptText& text = scripts_[script];
  const std::string key_count = std::to_string(keys.size());
  std::vector<std::string_view> command;
  command.reserve(3 + keys.size() + arguments.size());
  if (form == Form::by_name) {
    command.insert(command.end(), {"EVALSHA", text.sha1, key_count});
  } else {
    command.insert(command.end(), {"EVAL", text.source, key_count});
  }
  command.insert(command.end(), keys.begin(), keys.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return connection_.send(command, tag);
}

void RedisStore::ask_again(Request request, Form form) {
  if (request.tokens_generation != 0 && request.tokens_generation != generation_) {
    ++counters_.stale;
    return fail(request, StoreError::unavailable);
  }
  if (!send(request, form)) return fail(request, StoreError::unavailable);
  ++counters_.asked_again;
}

void RedisStore::finish(const Request& request, const Outcome& outcome) {
  SLUICE_ASSERT(sink_ != nullptr);
  sink_->on_outcome(request.tag, outcome);
}

void RedisStore::fail(const Request& request, StoreError error) {
  if (request.script == Script::rebook) return rebook_failed(request, error);
  finish(request, error_outcome(error));
}

// Answers.

Request RedisStore::take(std::uint64_t tag) {
  const auto found = requests_.find(tag);
  SLUICE_ASSERT(found != requests_.end());
  Request request = std::move(found->second);
  requests_.erase(found);
  std::uint64_t& loading = loading_[std::to_underlying(request.script)];
  if (loading == tag) loading = 0;
  return request;
}

void RedisStore::on_reply(std::uint64_t tag, const Reply& reply) {
  if (tag == attach_tag_) return attach_answered(reply);
  if (tag == replica_tag_) return replica_answered(reply);
  if (tag == announce_tag_) return announce_answered(reply);
  Request request = take(tag);
  if (reply.kind == Reply::Kind::error) return answered_by_error(std::move(request), reply.text);
  const auto answer = decode_answer(reply);
  if (answer) return answered(std::move(request), *answer);
  // Something was carried out, and nobody knows what.
  ++counters_.lost;
  counters_.errors.count(ErrorKind::other);
  const auto watch = liveness_.watch();
  events_.on_refused(ErrorKind::other, answer.error().message);
  if (watch) fail(request, StoreError::unknown);
}

void RedisStore::answered(Request request, const ScriptAnswer& answer) {
  breaker_.succeeded();
  if (answer.now > WallTime{}) clock_.heard(answer.now);
  switch (answer.answered) {
    case Answered::done: {
      if (request.script == Script::rebook) return rebooked(request, answer.grant);
      keep_account(request, answer.grant);
      Outcome outcome{.grant = answer.grant, .error = std::nullopt};
      outcome.grant.generation = request.generation;
      return finish(request, outcome);
    }
    case Answered::other_lineage:
      return belongs_to_other_history(std::move(request));
    case Answered::outside_calendar:
      if (std::exchange(request.calendar_resent, true)) return fail(request, StoreError::unavailable);
      encode_now(request, answer.now);
      return ask_again(std::move(request), Form::by_name);
    case Answered::repairing:
      ++counters_.repairing;
      return fail(request, StoreError::unavailable);
  }
}

void RedisStore::keep_account(const Request& request, const Grant& grant) {
  const Instant now = loop_.clock().now();
  switch (request.script) {
    case Script::lease: {
      const std::int64_t tokens = grant.granted_needs + grant.granted_extra;
      if (tokens > 0) ledger_.book(request.counter, request.limit, request.lineage, grant, tokens, now);
      return;
    }
    case Script::give_back:
      return ledger_.give_back(request.counter, request.amount, request.granted_at, now);
    case Script::reset:
      return ledger_.forget(request.counter);
    case Script::attach:
    case Script::peek:
    case Script::rebook:
    case Script::announce:
      return;
  }
}

void RedisStore::belongs_to_other_history(Request request) {
  if (request.script == Script::rebook) return rebook_in_other_history(request);
  if (std::exchange(request.lineage_resent, true)) return fail(request, StoreError::unavailable);
  const bool overtaken = request.lineage != lineage_;  // by an attach that was sent after it
  if (overtaken && attach_tag_ == 0 && serving()) {
    encode_now(request, clock_.expected_now());
    return ask_again(std::move(request), Form::by_name);
  }
  waiting_.push_back(std::move(request));
  if (!overtaken && attach_tag_ == 0) attach(Form::by_name);
}

void RedisStore::answered_by_error(Request request, std::string_view error) {
  const ErrorKind kind = classify(error);
  counters_.errors.count(kind);
  if (kind == ErrorKind::noscript || kind == ErrorKind::wrong_type) {
    breaker_.succeeded();  // nothing is wrong with the server
  } else {
    breaker_.failed(loop_.clock().now());
  }
  if (kind == ErrorKind::noscript && !std::exchange(request.script_resent, true)) {
    const bool on_its_way = loading_[std::to_underlying(request.script)] != 0;
    return ask_again(std::move(request), on_its_way ? Form::by_name : Form::whole);
  }
  const std::string text = for_people(error);
  // A replica: whoever is asked next may lead to its master.
  if (kind == ErrorKind::readonly || kind == ErrorKind::masterdown) connection_.drop(text);
  const auto watch = liveness_.watch();
  events_.on_refused(kind, text);
  if (!watch) return;
  fail(request, kind == ErrorKind::wrong_type ? StoreError::foreign : StoreError::unavailable);
}

void RedisStore::on_lost_reply(std::uint64_t tag) {
  if (tag == attach_tag_) {
    attach_tag_ = 0;
    connection_.drop("no answer to attaching");  // nothing to drop if that is why it was lost
    return;
  }
  if (tag == replica_tag_) {
    replica_tag_ = 0;
    connection_.drop("no answer to WAIT");
    return;
  }
  if (tag == announce_tag_) {
    announce_tag_ = 0;
    if (!serving()) connection_.drop("no answer to announcing");
    return;
  }
  const Request request = take(tag);
  ++counters_.lost;
  breaker_.failed(loop_.clock().now());
  fail(request, StoreError::unknown);
}

}  // namespace sluice::store::redis
