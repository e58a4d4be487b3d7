// What a simulated server's clients ask of it.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/observer.h"
#include "sim/redis/server.h"
#include "sim/redis/server_impl.h"
#include "sim/redis/service.h"
#include "sim/redis/value.h"
#include "store/redis/scripts.h"

namespace sluice::sim {
namespace {

constexpr Duration kSlowLeast = std::chrono::milliseconds{50};
constexpr Duration kSlowMost = std::chrono::milliseconds{400};

std::vector<std::int64_t> integers_of(const Value& answer) {
  std::vector<std::int64_t> integers;
  integers.reserve(answer.items.size());
  for (const Value& item : answer.items) integers.push_back(item.integer);
  return integers;
}

}  // namespace

Value RedisServer::Impl::on_request(Session& session, Words words) {
  Value answer = engine_.execute(session.client(), words);
  const std::optional<Wait> wait = session.client().wait;
  if (!wait) return answer;
  const std::int64_t already = acknowledged(wait->offset);
  if (already >= wait->replicas) {
    session.client().wait.reset();
    return Value::of(already);
  }
  begin_wait(session, *wait);
  return {};
}

void RedisServer::Impl::on_script(const Client& client, std::string_view sha1, Words keys, Words arguments,
                                  const Value& answer) {
  using store::redis::Script;
  for (std::size_t i = 0; i < store::redis::kScripts; ++i) {
    const store::redis::ScriptText& text = scripts_[static_cast<Script>(i)];
    if (text.sha1 != sha1) continue;
    const std::vector<std::string> given(arguments.begin(), arguments.end());
    observer_.on_script({.at = timeline_.now(),
                         .server = host_,
                         .client = client.name,
                         .from = client.from,
                         .script = text.name,
                         .key = keys.empty() ? std::string_view() : keys.front(),
                         .arguments = &given,
                         .answer = integers_of(answer),
                         .offset = offset()});
    return;
  }
}

Duration RedisServer::Impl::delay() {
  return trouble_ == RedisTrouble::slow ? draw_.between(kSlowLeast, kSlowMost) : Duration::zero();
}

void RedisServer::Impl::on_gone(Session& session) {
  const auto gone = std::ranges::find(waiters_, &session, &Waiter::session);
  if (gone == waiters_.end()) return;
  loop_->stop_timer(gone->timer);
  waiters_.erase(gone);
}

// WAIT.

std::int64_t RedisServer::Impl::acknowledged(std::uint64_t offset) const {
  return std::ranges::count_if(followers_, [offset](const Impl* follower) {
    return follower->link_.up && follower->link_.acknowledged >= offset;
  });
}

void RedisServer::Impl::begin_wait(Session& session, const Wait& wait) {
  Waiter waiter{.number = next_waiter_++, .session = &session, .wait = wait};
  if (waiter.wait.timeout > Duration::zero()) {
    waiter.timer = loop_->start_timer(waiter.wait.timeout, [this, waiter] {
      end_wait(waiter.number, Value::of(acknowledged(waiter.wait.offset)));
    });
  }
  waiters_.push_back(waiter);
  for (Impl* follower : followers_) {
    if (!follower->link_.up) continue;
    follower->link_.ack_wanted = true;
    follower->follow();
  }
}

void RedisServer::Impl::check_waiters() {
  if (!running()) return;
  for (const Waiter& waiter : waiters_) {
    const std::int64_t done = acknowledged(waiter.wait.offset);
    if (done >= waiter.wait.replicas) end_wait_soon(waiter.number, Value::of(done));
  }
}

void RedisServer::Impl::refuse_waiters() {
  for (const Waiter& waiter : waiters_) {
    waiter.session->client().closing = true;
    end_wait_soon(waiter.number,
                  Value::error("UNBLOCKED force unblock from blocking operation, instance state changed "
                               "(master -> replica?)"));
  }
}

/// In a turn of the process, which may be suspended.
void RedisServer::Impl::end_wait_soon(std::uint64_t number, Value answer) {
  loop_->post(timeline_.now(), [this, number, answer = std::move(answer)] { end_wait(number, answer); });
}

/// Unless it has ended already.
void RedisServer::Impl::end_wait(std::uint64_t number, const Value& answer) {
  const auto found = std::ranges::find(waiters_, number, &Waiter::number);
  if (found == waiters_.end()) return;
  Session& session = *found->session;
  loop_->stop_timer(found->timer);
  waiters_.erase(found);
  session.resume(answer);
}

}  // namespace sluice::sim
