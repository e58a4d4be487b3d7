#include "server/session.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/loop.h"
#include "base/stream.h"
#include "base/time.h"
#include "engine/engine.h"
#include "server/commands.h"
#include "wire/resp/reply_writer.h"
#include "wire/resp/request_parser.h"

namespace sluice::server {

Session::Session(Loop& loop, engine::Engine& engine, SessionOwner& owner, std::unique_ptr<ByteStream> stream,
                 std::uint64_t id)
    : loop_(loop), engine_(engine), owner_(owner), stream_(std::move(stream)) {
  connection_.id = id;
}

Session::~Session() {
  engine_.forget(*this);
}

void Session::start() {
  stream_->start(*this);
}

void Session::on_bytes(std::string_view bytes) {
  if (ending_ || last_bytes_seen_) return;
  active_ = true;
  // Most reads bring whole commands: those are run where they lie, and only a rest is copied.
  if (input_.empty()) {
    input_.append(bytes.substr(run_commands(bytes)));
  } else {
    input_.append(bytes);
  }
  go_on();
}

std::size_t Session::run_commands(std::string_view buffer) {
  std::size_t done = 0;
  while (!ending_ && !blocked() && done < buffer.size()) {
    const auto status = parser_.parse(buffer.substr(done), command_);
    if (status == wire::resp::ParseStatus::incomplete) break;
    if (status == wire::resp::ParseStatus::malformed) {
      protocol_error();
      return buffer.size();
    }
    stalled_since_ = Instant::max();  // the client gets on
    if (!command_.empty()) run_command();
    done += parser_.consumed();
  }
  return ending_ ? buffer.size() : done;
}

void Session::run_command() {
  const bool in_order = slots_.empty();
  std::string held;
  CommandContext context{.engine = engine_,
                         .sink = *this,
                         .tag = first_slot_ + slots_.size(),
                         .connection = connection_,
                         .info = owner_,
                         .out = in_order ? output_ : held,
                         .form = {}};
  const CommandOutcome outcome = server::run_command(command_, context);
  const bool waiting = outcome == CommandOutcome::waiting;
  if (waiting || !in_order) {
    slots_.push_back({.ready = !waiting, .form = context.form, .bytes = std::move(held)});
  }
  if (outcome == CommandOutcome::quit) ending_ = true;
}

void Session::protocol_error() {
  // The stream cannot be trusted any further, so this is its last answer.
  std::string text;
  wire::resp::ReplyWriter(text, connection_.protocol).error(std::string("ERR ").append(parser_.error()));
  if (slots_.empty()) {
    output_ += text;
  } else {
    slots_.push_back({.ready = true, .form = {}, .bytes = std::move(text)});
  }
  ending_ = true;
}

void Session::on_answer(std::uint64_t tag, const engine::CheckResult& result) {
  SLUICE_ASSERT(tag - first_slot_ < slots_.size());
  Slot& slot = slots_[tag - first_slot_];
  write_answer(result, slot.form, slot.bytes);
  slot.ready = true;
  while (!slots_.empty() && slots_.front().ready) {
    output_ += slots_.front().bytes;
    slots_.pop_front();
    ++first_slot_;
  }
  if (flush_deferred_) return;
  // One write for all the answers of a turn. The session may be gone by then, hence the weak pointer.
  flush_deferred_ = true;
  loop_.defer([this, alive = std::weak_ptr<int>(alive_)] {
    if (alive.expired()) return;
    flush_deferred_ = false;
    go_on();
  });
}

void Session::go_on() {
  if (finished_) return;
  flush();
  // Writing may have made room for commands that were kept back.
  while (!input_.empty() && !ending_ && !blocked()) {
    const std::size_t done = run_commands(input_);
    input_.erase(0, done);
    flush();
    if (done == 0) break;
  }
  settle();
}

bool Session::blocked() const {
  return slots_.size() >= SessionLimits::kMaxWaiting ||
         stream_->unsent() + output_.size() >= SessionLimits::kMaxUnsent;
}

void Session::settle() {
  // After the last bytes, what is left of the input is half a command, unless commands are kept back.
  if ((ending_ || (last_bytes_seen_ && !blocked())) && slots_.empty()) {
    finished_ = true;
    stream_->finish();
    note_stall(stream_->unsent() > 0);
    return;
  }
  const bool stop = blocked() || ending_ || last_bytes_seen_;
  if (stop != paused_) {
    paused_ = stop;
    if (stop) {
      stream_->pause();
    } else {
      stream_->resume();
    }
  }
  note_stall(!input_.empty() || stream_->unsent() >= SessionLimits::kMaxUnsent);
}

void Session::flush() {
  if (output_.empty()) return;
  stream_->write(output_);
  output_.clear();
  // A burst of answers must not keep its memory for the life of an idle connection.
  constexpr std::size_t kKeep = 4096;
  if (output_.capacity() > kKeep) output_.shrink_to_fit();
  if (input_.empty() && input_.capacity() > kKeep) input_.shrink_to_fit();
}

void Session::note_stall(bool stalled) {
  if (!stalled) {
    stalled_since_ = Instant::max();
  } else if (stalled_since_ == Instant::max()) {
    stalled_since_ = loop_.clock().now();
  }
}

void Session::on_drained() {
  if (input_.empty()) stalled_since_ = Instant::max();
  go_on();
}

void Session::on_end() {
  last_bytes_seen_ = true;
  go_on();
}

void Session::finish() {
  last_bytes_seen_ = true;
  go_on();
}

void Session::time_out() {
  if (!finished_ && slots_.empty() && stream_->unsent() == 0) {
    wire::resp::ReplyWriter(output_, connection_.protocol)
        .error("ERR the request did not arrive in time; the connection is closed");
    flush();
  }
  finished_ = true;
  stream_->close();
}

bool Session::take_activity() {
  return std::exchange(active_, false);
}

void Session::on_closed(std::string_view /*reason*/) {
  finished_ = true;
  ending_ = true;
  owner_.closed(*this);
}

}  // namespace sluice::server
