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
#include "server/protocol.h"
#include "server/sniff.h"

namespace sluice::server {

Session::Session(Loop& loop, engine::Engine& engine, SessionOwner& owner, std::unique_ptr<ByteStream> stream,
                 std::uint64_t id)
    : loop_(loop), engine_(engine), owner_(owner), stream_(std::move(stream)), id_(id) {}

Session::~Session() {
  engine_.forget(*this);
}

void Session::start() {
  stream_->start(*this);
}

void Session::on_bytes(std::string_view bytes) {
  if (ending_ || last_bytes_seen_) return;
  active_ = true;
  // Most reads bring whole requests: those are run where they lie, and only a rest is copied.
  if (input_.empty()) {
    input_.append(bytes.substr(run_requests(bytes)));
  } else {
    input_.append(bytes);
  }
  go_on();
}

bool Session::decide(std::string_view buffer) {
  if (protocol_ != nullptr) return true;
  const Spoken spoken = sniff(buffer);
  if (spoken == Spoken::undecided) return false;
  protocol_ = owner_.speak(spoken, id_);
  return true;
}

std::size_t Session::run_requests(std::string_view buffer) {
  std::size_t done = 0;
  while (!ending_ && !blocked() && done < buffer.size() && decide(buffer)) {
    const Progress progress = run_request(buffer.substr(done));
    if (progress.step == Step::incomplete) break;
    done += progress.consumed;
    if (progress.consumed > 0) stalled_since_ = Instant::max();  // the client gets on
  }
  return ending_ ? buffer.size() : done;
}

Progress Session::run_request(std::string_view buffer) {
  const std::uint64_t tag = first_slot_ + slots_.size();
  const bool in_order = slots_.empty();
  std::string held;
  Turn turn{.out = in_order ? output_ : held,
            .sink = *this,
            .tag = tag,
            .write_later = nullptr,
            .gathering = nullptr,
            .complete = nullptr};
  turn.complete = [this, tag](std::string bytes) {
    slot(tag).bytes = std::move(bytes);
    slot(tag).ready = true;
    release();
  };
  Progress progress = protocol_->next(buffer, turn);
  const bool waiting = progress.step == Step::waiting;
  if (waiting || (!in_order && !held.empty())) {
    slots_.push_back({.ready = !waiting,
                      .bytes = std::move(held),
                      .write = std::move(turn.write_later),
                      .gathering = std::move(turn.gathering)});
  }
  if (progress.last) ending_ = true;
  return progress;
}

Session::Slot& Session::slot(std::uint64_t tag) {
  SLUICE_ASSERT(tag - first_slot_ < slots_.size());
  return slots_[tag - first_slot_];
}

void Session::on_answer(std::uint64_t tag, const engine::CheckResult& result) {
  Slot& answered = slot(tag);
  answered.write(result, answered.bytes);
  answered.ready = true;
  release();
}

void Session::release() {
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
  // Writing may have made room for requests that were kept back.
  while (!input_.empty() && !ending_ && !blocked()) {
    const std::size_t done = run_requests(input_);
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
  // After the last bytes, what is left of the input is half a request, unless requests are kept back.
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
  if (!finished_ && slots_.empty() && stream_->unsent() == 0 && protocol_ != nullptr) {
    protocol_->time_out(output_);
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
