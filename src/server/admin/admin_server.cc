#include "server/admin/admin_server.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "base/assert.h"
#include "base/loop.h"
#include "base/stream.h"
#include "base/time.h"
#include "server/admin/admin_api.h"
#include "server/admin/admin_session.h"
#include "server/admin/admin_source.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {
namespace {

/// Overdue sessions are found within a timeout plus a quarter.
constexpr int kSweepsPerTimeout = 4;

}  // namespace

AdminServer::AdminServer(Loop& loop, AdminSource& source, const AdminOptions& options)
    : loop_(loop), source_(source), options_(options), api_(source) {}

AdminServer::~AdminServer() {
  loop_.stop_timer(tick_timer_);
  loop_.stop_timer(sweep_timer_);
}

void AdminServer::on_connection(std::unique_ptr<ByteStream> stream) {
  if (sessions_.size() >= options_.max_connections) {
    ++counters_.refused;
    std::string out;
    wire::http1::append_response(out, admin_problem(503, "too many connections; try again later"),
                                 {.head = false, .keep_alive = false, .minor_version = 1});
    stream->write(out);  // what the socket does not take at once is not worth keeping
    return;
  }
  ++counters_.accepted;
  sessions_.push_front(std::make_unique<AdminSession>(loop_, *this, std::move(stream)));
  sessions_.front()->position = sessions_.begin();
  sessions_.front()->start();
  arm_sweep();
}

void AdminServer::drain() {
  for (const auto& session : sessions_) session->close();
}

std::size_t AdminServer::streams() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(sessions_, [](const auto& session) { return session->streaming(); }));
}

AdminAnswer AdminServer::answer(const wire::http1::Request& request) {
  return api_.handle(request);
}

std::string AdminServer::event() {
  const std::string stats = source_.stats();
  SLUICE_ASSERT(stats.find('\n') == std::string::npos);  // it would end the event's data
  return "event: stats\ndata: " + stats + "\n\n";
}

bool AdminServer::begin_stream(std::string& first_event) {
  if (streams() >= options_.max_streams) return false;
  first_event = "retry: 2000\n\n" + event();
  if (tick_timer_ == 0) tick_timer_ = loop_.start_timer(options_.stream_interval, [this] { tick(); });
  return true;
}

void AdminServer::tick() {
  tick_timer_ = 0;
  if (streams() == 0) return;
  const std::string now = event();
  for (const auto& session : sessions_) {
    if (session->streaming()) session->send_event(now);
  }
  tick_timer_ = loop_.start_timer(options_.stream_interval, [this] { tick(); });
}

void AdminServer::closed(AdminSession& session) {
  // The session is still on the call stack: it is taken out now and destroyed at the end of the turn.
  std::list<std::unique_ptr<AdminSession>> gone;
  gone.splice(gone.begin(), sessions_, session.position);
  loop_.defer([gone = std::make_shared<std::list<std::unique_ptr<AdminSession>>>(std::move(gone))] {});
}

void AdminServer::arm_sweep() {
  if (sweep_timer_ != 0 || sessions_.empty()) return;
  const Duration shorter = std::min(options_.request_timeout, options_.idle_timeout);
  sweep_timer_ = loop_.start_timer(shorter / kSweepsPerTimeout, [this] { sweep(); });
}

void AdminServer::sweep() {
  sweep_timer_ = 0;
  const Instant now = loop_.clock().now();
  for (const auto& session : sessions_) {
    const bool idle = session->waits() == AdminSession::Waits::idle;
    if (idle && session->streaming()) continue;
    if (now - session->since() < (idle ? options_.idle_timeout : options_.request_timeout)) continue;
    ++counters_.timed_out;
    session->time_out();
  }
  arm_sweep();
}

}  // namespace sluice::server
