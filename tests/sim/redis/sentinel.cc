#include "sim/redis/sentinel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/text.h"
#include "base/time.h"
#include "sim/core/node_clock.h"
#include "sim/core/node_loop.h"
#include "sim/core/timeline.h"
#include "sim/core/trace.h"
#include "sim/network/network.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/introduction.h"
#include "sim/redis/service.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

constexpr std::uint16_t kPort = 26379;
constexpr std::string_view kSwitch = "+switch-master";

}  // namespace

class RedisSentinel::Impl final : private ServiceEvents {
 public:
  Impl(Network& network, HostId host, Timeline& timeline, const NodeClock& clock, Trace& trace)
      : network_(network), host_(host), timeline_(timeline), clock_(clock), trace_(trace) {}

  void start() {
    SLUICE_ASSERT(!running());
    say("sentinel starts");
    loop_ = std::make_unique<NodeLoop>(timeline_, clock_);
    service_ = std::make_unique<Service>(network_, host_, kPort, *loop_, static_cast<ServiceEvents&>(*this));
  }
  void crash() {
    if (running()) say("sentinel dies");
    service_.reset();
    loop_.reset();
  }
  void suspend(SimTime until) {
    if (running()) loop_->suspend(until, true);
  }
  [[nodiscard]] bool running() const { return loop_ != nullptr; }

  void believe(const std::string& name, const std::string& host, std::uint16_t port, std::uint64_t epoch);
  void forget(const std::string& name) { masters_.erase(name); }

 private:
  struct Master {
    std::string host{};
    std::uint16_t port = 0;
    std::uint64_t epoch = 0;

    [[nodiscard]] std::string address() const { return host + " " + std::to_string(port); }
  };

  [[nodiscard]] Value on_request(Session& session, Words words) override;
  void on_gone(Session& /*session*/) override {}
  [[nodiscard]] Duration delay() override { return Duration::zero(); }

  [[nodiscard]] Value ping(const Client& client, Words words) const;
  [[nodiscard]] Value client_command(Client& client, Words words) const;
  [[nodiscard]] Value sentinel_command(Words words) const;
  [[nodiscard]] Value role() const;
  void publish(const std::string& message);
  void say(const std::string& what) const { trace_.note(timeline_.now(), network_.name_of(host_), what); }

  Network& network_;
  HostId host_;
  Timeline& timeline_;
  const NodeClock& clock_;
  Trace& trace_;
  std::map<std::string, Master, std::less<>> masters_;
  std::unique_ptr<NodeLoop> loop_;
  std::unique_ptr<Service> service_;
};

void RedisSentinel::Impl::believe(const std::string& name, const std::string& host, std::uint16_t port,
                                  std::uint64_t epoch) {
  const Master now{.host = host, .port = port, .epoch = epoch};
  const auto known = masters_.find(name);
  const bool moved = known != masters_.end() && known->second.address() != now.address();
  const std::string before = moved ? known->second.address() : std::string();
  masters_.insert_or_assign(name, now);
  say("believes " + name + " at " + now.address() + " epoch " + std::to_string(epoch));
  if (!moved || !running()) return;
  loop_->post(timeline_.now(),
              [this, message = name + " " + before + " " + now.address()] { publish(message); });
}

void RedisSentinel::Impl::publish(const std::string& message) {
  for (Session* session : service_->sessions()) {
    const std::vector<std::string>& channels = session->client().channels;
    if (std::ranges::find(channels, kSwitch) == channels.end()) continue;
    session->push(
        Value::array({Value::bulk("message"), Value::bulk(std::string(kSwitch)), Value::bulk(message)}));
  }
}

Value RedisSentinel::Impl::on_request(Session& session, Words words) {
  Client& client = session.client();
  const std::string name = lowered(words[0]);
  const auto enough = [&](std::size_t least) { return words.size() >= least; };
  if (name == "ping") return ping(client, words);
  if (name == "hello") return answer_hello(client, words, {.mode = "sentinel"});
  if (name == "auth") return enough(2) ? answer_auth(client, words, {}) : wrong_arity(name);
  if (name == "client") return enough(2) ? client_command(client, words) : wrong_arity(name);
  if (name == "sentinel") return enough(2) ? sentinel_command(words) : wrong_arity(name);
  if (name == "subscribe") return enough(2) ? answer_subscribe(client, words) : wrong_arity(name);
  if (name == "unsubscribe") return answer_unsubscribe(client, words);
  if (name == "role") return words.size() == 1 ? role() : wrong_arity(name);
  if (name == "quit") {
    client.closing = true;
    return Value::ok();
  }
  return unknown_command(words);
}

Value RedisSentinel::Impl::ping(const Client& client, Words words) const {
  if (words.size() > 2) return wrong_arity("ping");
  std::string text(words.size() > 1 ? words[1] : "");
  if (!client.channels.empty() && client.version == Resp::two)
    return Value::array({Value::bulk("pong"), Value::bulk(std::move(text))});
  return words.size() > 1 ? Value::bulk(std::move(text)) : Value::status("PONG");
}

Value RedisSentinel::Impl::client_command(Client& client, Words words) const {
  if (!equals_ignoring_case(words[1], "setname")) return unknown_subcommand(words);
  if (words.size() != 3) return wrong_arity("client|setname");
  return set_name(client, words[2]) ? Value::ok() : bad_name();
}

Value RedisSentinel::Impl::role() const {
  std::vector<Value> names;
  names.reserve(masters_.size());
  for (const auto& [name, master] : masters_) names.push_back(Value::bulk(name));
  return Value::array({Value::bulk("sentinel"), Value::array(std::move(names))});
}

Value RedisSentinel::Impl::sentinel_command(Words words) const {
  const std::string what = lowered(words[1]);
  if (what != "master" && what != "get-master-addr-by-name") return unknown_subcommand(words);
  if (words.size() != 3) return wrong_arity("sentinel|" + what);
  const auto known = masters_.find(words[2]);
  if (what == "master") {
    if (known == masters_.end()) return Value::error("ERR No such master with that name");
    Value fields;
    fields.kind = Value::Kind::map;
    const auto add = [&fields](std::string_view field, std::string value) {
      fields.items.push_back(Value::bulk(std::string(field)));
      fields.items.push_back(Value::bulk(std::move(value)));
    };
    add("name", known->first);
    add("ip", known->second.host);
    add("port", std::to_string(known->second.port));
    add("flags", "master");
    add("config-epoch", std::to_string(known->second.epoch));
    return fields;
  }
  if (known == masters_.end()) {
    Value none;
    none.kind = Value::Kind::nil_array;
    return none;
  }
  return Value::array({Value::bulk(known->second.host), Value::bulk(std::to_string(known->second.port))});
}

RedisSentinel::RedisSentinel(Network& network, HostId host, Timeline& timeline, const NodeClock& clock,
                             Trace& trace)
    : impl_(std::make_unique<Impl>(network, host, timeline, clock, trace)) {}

RedisSentinel::~RedisSentinel() = default;

void RedisSentinel::start() {
  impl_->start();
}
void RedisSentinel::crash() {
  impl_->crash();
}
void RedisSentinel::suspend(SimTime until) {
  impl_->suspend(until);
}
bool RedisSentinel::running() const {
  return impl_->running();
}
void RedisSentinel::believe(const std::string& name, const std::string& host, std::uint16_t port,
                            std::uint64_t epoch) {
  impl_->believe(name, host, port, epoch);
}
void RedisSentinel::forget(const std::string& name) {
  impl_->forget(name);
}

}  // namespace sluice::sim
