#include "server/admin/admin_session.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/loop.h"
#include "base/stream.h"
#include "base/time.h"
#include "server/admin/admin_api.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {
namespace {

using wire::http1::ParseStatus;
using wire::http1::Request;
using wire::http1::Response;

/// Nothing here reads a body; a small one is let in so that its request is told what is really wrong.
constexpr wire::http1::HttpBounds kBounds{
    .max_header_bytes = 16UL * 1024, .max_headers = 100, .max_body_bytes = 1024};

/// The shortest rest that is another turn of the loop.
constexpr Duration kRest = std::chrono::milliseconds{1};

}  // namespace

AdminSession::AdminSession(Loop& loop, AdminOwner& owner, std::unique_ptr<ByteStream> stream)
    : loop_(loop), owner_(owner), stream_(std::move(stream)), parser_(kBounds), since_(loop.clock().now()) {}

AdminSession::~AdminSession() {
  loop_.stop_timer(rest_);
}

void AdminSession::start() {
  stream_->start(*this);
}

void AdminSession::on_bytes(std::string_view bytes) {
  if (mode_ != Mode::requests) return;  // whoever listens to a stream has nothing more to say
  input_.append(bytes);
  go_on();
}

void AdminSession::go_on() {
  if (mode_ == Mode::requests && rest_ == 0 && stream_->unsent() == 0) run_request();
  settle();
}

void AdminSession::run_request() {
  Request request;
  switch (input_.empty() ? ParseStatus::incomplete : parser_.parse(input_, request)) {
    case ParseStatus::incomplete:
      if (end_seen_) finish();
      return;
    case ParseStatus::wants_continue:
      stream_->write("HTTP/1.1 100 Continue\r\n\r\n");
      return;
    case ParseStatus::malformed:
      refuse(parser_.status(), parser_.message());
      return;
    case ParseStatus::complete:
      respond(request);
      break;
  }
  input_.erase(0, parser_.consumed());
  if (input_.empty()) input_.shrink_to_fit();
  got_on_ = true;
  if (mode_ != Mode::requests) {
    input_.clear();
    return;
  }
  rest_ = loop_.start_timer(kRest, [this] {
    rest_ = 0;
    go_on();
  });
}

void AdminSession::respond(const Request& request) {
  const AdminAnswer answer = owner_.answer(request);
  if (answer.body == AdminBody::stream) {
    begin_stream(answer.response);
    return;
  }
  std::string out;
  wire::http1::append_response(out, answer.response,
                               {.head = request.method == "HEAD",
                                .keep_alive = request.keep_alive,
                                .minor_version = request.minor_version});
  stream_->write(out);
  if (!request.keep_alive) finish();
}

void AdminSession::begin_stream(const Response& response) {
  std::string first_event;
  if (!owner_.begin_stream(first_event)) {
    refuse(503, "as many clients as may listen already do; try again later, or ask /v1/stats");
    return;
  }
  std::string out;
  wire::http1::append_stream_head(out, response);
  out += first_event;
  stream_->write(out);
  mode_ = Mode::stream;
}

void AdminSession::refuse(int status, std::string_view message) {
  std::string out;
  wire::http1::append_response(out, admin_problem(status, std::string(message)),
                               {.head = false, .keep_alive = false, .minor_version = 1});
  stream_->write(out);
  finish();
}

void AdminSession::send_event(std::string_view event) {
  if (stream_->unsent() == 0) stream_->write(event);
  settle();
}

void AdminSession::finish() {
  mode_ = Mode::ending;
  stream_->finish();
}

void AdminSession::settle() {
  // What a stream's client sends is read and dropped, so that its end is seen.
  const bool stop = mode_ == Mode::requests && !input_.empty() && (rest_ != 0 || stream_->unsent() > 0);
  if (mode_ != Mode::ending && stop != paused_) {
    paused_ = stop;
    if (stop) {
      stream_->pause();
    } else {
      stream_->resume();
    }
  }
  Waits waits = Waits::idle;
  if (stream_->unsent() > 0 || mode_ == Mode::ending) {
    waits = Waits::reader;
  } else if (!input_.empty()) {
    waits = Waits::request;
  }
  if (waits != waits_ || std::exchange(got_on_, false)) since_ = loop_.clock().now();
  waits_ = waits;
}

void AdminSession::on_drained() {
  go_on();
}

void AdminSession::on_end() {
  end_seen_ = true;
  if (mode_ == Mode::stream) {
    close();
  } else {
    go_on();
  }
}

void AdminSession::time_out() {
  if (mode_ == Mode::requests && waits_ == Waits::request) refuse(408, "the request did not arrive in time");
  close();
}

void AdminSession::close() {
  mode_ = Mode::ending;
  stream_->close();
}

void AdminSession::on_closed(std::string_view /*reason*/) {
  mode_ = Mode::ending;
  owner_.closed(*this);
}

}  // namespace sluice::server
