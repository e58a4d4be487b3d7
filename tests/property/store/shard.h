// The scripts on a redis-server, as a test calls them, and what they are compared with.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "store/redis/attach_codec.h"
#include "store/redis/reply.h"
#include "store/redis/script_codec.h"
#include "store/redis/scripts.h"
#include "store/store.h"
#include "support/redis_server.h"

namespace sluice::store::redis::testing {

/// One shard: a server, a connection and the lineage that was attached to.
struct Shard {
  explicit Shard(const test::RedisServer& server) : client(server) {
    for (const Script script : {Script::attach, Script::lease, Script::give_back, Script::peek, Script::reset,
                                Script::rebook, Script::announce}) {
      const Reply sha = client.ask({"SCRIPT", "LOAD", std::string(scripts[script].source)});
      if (sha.text != scripts[script].sha1) throw std::runtime_error("SHA-1 or syntax: " + sha.text);
    }
  }

  Reply call_on_meta(Script script, Arguments arguments) {
    std::vector<std::string> command{"EVALSHA", std::string(scripts[script].sha1), "1", kMeta};
    for (std::string& argument : arguments) command.push_back(std::move(argument));
    return client.ask(command);
  }
  Attached attach(const std::string& nonce) {
    return attach(AttachRequest{.nonce = nonce, .nothing_to_lose = true});
  }
  Attached attach(AttachRequest request) {
    if (request.self.empty()) request.self = "a1";
    const Result<Attached> attached = decode_attach(call_on_meta(Script::attach, encode_attach(request)));
    if (!attached) throw std::runtime_error(attached.error().message);
    context.lineage = attached->lineage;
    return *attached;
  }

  [[nodiscard]] std::vector<std::string> command(Script script, const std::string& key,
                                                 Arguments arguments) const {
    std::vector<std::string> words{"EVALSHA", std::string(scripts[script].sha1), "2", key, kMeta};
    for (std::string& argument : arguments) words.push_back(std::move(argument));
    return words;
  }
  Reply call(Script script, const std::string& key, Arguments arguments) {
    return client.ask(command(script, key, std::move(arguments)));
  }
  ScriptAnswer answer(Script script, const std::string& key, Arguments arguments) {
    const Result<ScriptAnswer> answer = decode_answer(call(script, key, std::move(arguments)));
    if (!answer) throw std::runtime_error(answer.error().message);
    return *answer;
  }
  /// Takes `cost` once if it fits.
  ScriptAnswer take(const std::string& key, const limiter::Limit& limit, std::int64_t cost) {
    const Need need{.cost = cost, .count = 1};
    return answer(Script::lease, key,
                  encode_lease(context, {.key = key, .limit = &limit, .needs = {&need, 1}}));
  }

  static constexpr const char* kMeta = "meta";
  test::RedisClient client;
  Scripts scripts;
  CallContext context{};
};

/// The store's contract on limiter:: alone, for one key. Nothing here is shared with the scripts.
class Reference {
 public:
  Grant lease(const limiter::Limit& limit, std::span<const Need> needs, std::int64_t extra, WallTime now) {
    carry_to(limit, now);
    const std::int64_t available = limiter::available(limit, state_, now);
    std::int64_t left = available;
    std::optional<std::int64_t> waiting;
    for (const Need& need : needs) {
      std::int64_t served = need.count;
      if (need.cost > 0) served = std::min(served, left / need.cost);
      left -= served * need.cost;
      if (served < need.count && !waiting) waiting = need.cost;
    }
    Grant grant;
    grant.granted_needs = available - left;
    if (limit.algorithm() != limiter::Algorithm::sliding_window_log) {
      grant.granted_extra = std::min(extra, left / 8);
    }
    const std::int64_t debit = grant.granted_needs + grant.granted_extra;
    if (debit > 0) {
      EXPECT_TRUE(limiter::take(limit, state_, now, debit).allowed);
    }
    describe(grant, limit, state_, now, waiting);
    if (const auto end = limiter::window_end(limit, now)) {
      grant.ends_after = std::max(*end - now, Duration::zero());
    }
    return grant;
  }

  Grant give_back(const limiter::Limit& limit, std::int64_t tokens, std::optional<WallTime> granted_at,
                  WallTime now) {
    carry_to(limit, now);
    limiter::give_back(limit, state_, now, tokens, granted_at);
    Grant grant;
    describe(grant, limit, state_, now, std::nullopt);
    return grant;
  }

  /// Changes nothing: not even the limit of the state.
  [[nodiscard]] Grant peek(const limiter::Limit& limit, std::int64_t cost, WallTime now) const {
    const limiter::State seen = limit_ ? limiter::carry_over(*limit_, limit, state_, now) : limiter::State{};
    Grant grant;
    describe(grant, limit, seen, now, cost);
    return grant;
  }

  Grant reset(const limiter::Limit& limit, WallTime now) {
    state_ = limiter::State{};
    Grant grant;
    describe(grant, limit, state_, now, std::nullopt);
    return grant;
  }

  [[nodiscard]] const limiter::State& state() const { return state_; }
  [[nodiscard]] bool full() const { return std::holds_alternative<std::monostate>(state_); }

 private:
  void carry_to(const limiter::Limit& limit, WallTime now) {
    if (limit_) state_ = limiter::carry_over(*limit_, limit, state_, now);
    limit_ = limit;
  }

  static void describe(Grant& grant, const limiter::Limit& limit, const limiter::State& state, WallTime now,
                       std::optional<std::int64_t> waiting) {
    const limiter::Verdict as_it_is = limiter::peek(limit, state, now, 0);
    grant.remaining = as_it_is.remaining;
    grant.reset_after = as_it_is.reset_after;
    if (waiting) grant.retry_after = limiter::peek(limit, state, now, *waiting).retry_after;
    grant.granted_at = now;
  }

  std::optional<limiter::Limit> limit_;
  limiter::State state_;
};

/// When a key with this state must expire, in milliseconds: since 1970, or from `now`. Nothing: never.
inline std::optional<std::int64_t> full_ms(const limiter::Limit& limit, const limiter::State& state,
                                           WallTime now) {
  const WallTime full = limiter::full_at(limit, state, now);
  if (full == WallTime::max()) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(full).time_since_epoch().count();
}

}  // namespace sluice::store::redis::testing
