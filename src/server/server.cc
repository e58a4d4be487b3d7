#include "server/server.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/loop.h"
#include "base/stream.h"
#include "base/time.h"
#include "base/version.h"
#include "engine/engine.h"
#include "server/http_identity.h"
#include "server/http_protocol.h"
#include "server/protocol.h"
#include "server/resp_protocol.h"
#include "server/session.h"
#include "server/sniff.h"
#include "wire/resp/reply_writer.h"

namespace sluice::server {
namespace {

using namespace std::chrono_literals;

/// How often a draining server looks whether its sessions are quiet. Bytes that a client had sent when the
/// signal came are in the socket already, so one quiet tick is enough.
constexpr Duration kDrainTick = 20ms;
/// Sessions that never are quiet are ended all the same, so that draining takes well under a second.
constexpr int kMaxDrainTicks = 20;
/// Overdue sessions are found within a timeout plus a quarter.
constexpr int kSweepsPerTimeout = 4;

void line(std::string& out, std::string_view name, std::uint64_t value) {
  out.append(name).append(":").append(std::to_string(value)).append("\r\n");
}

}  // namespace

Server::Server(Loop& loop, engine::Engine& engine, const ServerOptions& options)
    : loop_(loop),
      engine_(engine),
      options_(options),
      http_(engine, loop.clock(), options.http != nullptr ? options.http : HttpRules::make({}).value()),
      started_(loop.clock().now()) {}

Server::~Server() {
  loop_.stop_timer(sweep_timer_);
  loop_.stop_timer(drain_timer_);
}

void Server::on_connection(std::unique_ptr<ByteStream> stream) {
  if (sessions_.size() >= options_.max_connections) {
    ++counters_.refused;
    std::string text;
    wire::resp::ReplyWriter(text, wire::resp::Version::resp2).error("ERR max number of clients reached");
    stream->write(text);  // what the socket does not take at once is not worth keeping
    return;
  }
  ++counters_.accepted;
  sessions_.push_front(std::make_unique<Session>(loop_, engine_, *this, std::move(stream), next_session_++));
  sessions_.front()->position = sessions_.begin();
  sessions_.front()->start();
  arm_sweep();
}

void Server::closed(Session& session) {
  // The session is still on the call stack: it is taken out now and destroyed at the end of the turn.
  std::list<std::unique_ptr<Session>> gone;
  gone.splice(gone.begin(), sessions_, session.position);
  loop_.defer([gone = std::make_shared<std::list<std::unique_ptr<Session>>>(std::move(gone))] {});
  if (sessions_.empty() && drained_) {
    loop_.stop_timer(drain_timer_);
    std::exchange(drained_, nullptr)();
  }
}

void Server::arm_sweep() {
  if (sweep_timer_ != 0 || sessions_.empty()) return;
  sweep_timer_ = loop_.start_timer(options_.request_timeout / kSweepsPerTimeout, [this] { sweep(); });
}

void Server::sweep() {
  sweep_timer_ = 0;
  const Instant now = loop_.clock().now();
  for (const auto& session : sessions_) {
    const Instant since = session->stalled_since();
    if (since == Instant::max() || now - since < options_.request_timeout) continue;
    ++counters_.timed_out;
    session->time_out();
  }
  arm_sweep();
}

void Server::drain(std::function<void()> done) {
  if (sessions_.empty()) {
    done();
    return;
  }
  drained_ = std::move(done);
  for (const auto& session : sessions_) static_cast<void>(session->take_activity());
  drain_timer_ = loop_.start_timer(kDrainTick, [this] { drain_tick(); });
}

void Server::drain_tick() {
  ++drain_ticks_;
  for (const auto& session : sessions_) {
    if (!session->take_activity() || drain_ticks_ > kMaxDrainTicks) session->finish();
  }
  drain_timer_ = loop_.start_timer(kDrainTick, [this] { drain_tick(); });
}

void Server::set_request_timeout(Duration timeout) {
  options_.request_timeout = timeout;
}

void Server::set_max_connections(std::size_t bound) {
  options_.max_connections = bound;
}

void Server::set_http(std::shared_ptr<const HttpRules> rules) {
  http_.set_rules(std::move(rules));
}

std::unique_ptr<Protocol> Server::speak(Spoken spoken, std::uint64_t connection) {
  if (spoken == Spoken::http) return std::make_unique<HttpProtocol>(http_);
  return std::make_unique<RespProtocol>(engine_, *this, connection);
}

std::string Server::info() const {
  const auto uptime = std::chrono::duration_cast<std::chrono::seconds>(loop_.clock().now() - started_);
  const engine::EngineCounters& checks = engine_.counters();
  std::string out = "# Server\r\nsluice_version:" + std::string(version()) +
                    "\r\nredis_version:7.0.0\r\nredis_mode:standalone\r\nloading:0\r\n";
  line(out, "uptime_in_seconds", static_cast<std::uint64_t>(uptime.count()));
  out += "\r\n# Clients\r\n";
  line(out, "connected_clients", sessions_.size());
  line(out, "maxclients", options_.max_connections);
  line(out, "total_connections_received", counters_.accepted);
  line(out, "rejected_connections", counters_.refused);
  line(out, "timed_out_connections", counters_.timed_out);
  out += "\r\n# Checks\r\n";
  line(out, "checks_allowed", checks.allowed);
  line(out, "checks_denied", checks.denied);
  line(out, "checks_bypassed", checks.bypassed);
  line(out, "checks_shadow_denied", checks.shadow_denied);
  line(out, "checks_degraded", checks.degraded);
  line(out, "checks_waiting", engine_.waiting());
  line(out, "store_answers_late", checks.late);
  if (options_.more_info) options_.more_info(out);
  return out;
}

}  // namespace sluice::server
