// One connection: bytes → requests → answers, in order, in the protocol that its first bytes speak.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/stream.h"
#include "engine/engine.h"
#include "server/protocol.h"
#include "server/sniff.h"

namespace sluice::server {

class Session;

/// What a session needs of the server.
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  /// The session is finished and may be destroyed, but not from inside this call.
  virtual void closed(Session& session) = 0;
  /// `spoken` is decided. The protocol lives as long as its session.
  [[nodiscard]] virtual std::unique_ptr<Protocol> speak(Spoken spoken, std::uint64_t connection) = 0;
};

/// Bounds of one session.
struct SessionLimits {
  static constexpr std::size_t kMaxWaiting = 1024;  ///< answers outstanding before reading stops
  static constexpr std::size_t kMaxUnsent =
      262'144;  ///< bytes of answers not taken by the client before reading stops
};

/// Answers in the order of the requests, also when the engine answers them out of order. Reading stops while
/// the client doesn't take its answers or too many are outstanding, so a session's memory is bounded by one
/// request, the answers to what one read brought, and the limits above.
class Session final : public StreamEvents, public engine::AnswerSink {
 public:
  /// `loop`, `engine` and `owner` outlive the session.
  Session(Loop& loop, engine::Engine& engine, SessionOwner& owner, std::unique_ptr<ByteStream> stream,
          std::uint64_t id);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start();

  /// Answers what has arrived in full, then closes.
  void finish();

  /// Since when the client has kept us waiting, with half a request or by not taking answers; Instant::max()
  /// while it has not.
  [[nodiscard]] Instant stalled_since() const { return stalled_since_; }
  /// Closes with an error for the client, if it will take one.
  void time_out();

  /// Whether anything was read since the last call: a draining server waits until a session is quiet.
  [[nodiscard]] bool take_activity();

  std::list<std::unique_ptr<Session>>::iterator position;  ///< the server's, for removal in O(1)

 private:
  /// An answer that is waited for, or that waits for an earlier one.
  struct Slot {
    bool ready = false;
    std::string bytes;
    AnswerWriter write;
    std::unique_ptr<Gathering> gathering;
  };

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_closed(std::string_view reason) override;
  void on_answer(std::uint64_t tag, const engine::CheckResult& result) override;

  /// Whether the protocol is known, after looking at the first bytes.
  bool decide(std::string_view buffer);
  /// Runs the whole requests at the front of `buffer`; returns how many bytes they took.
  std::size_t run_requests(std::string_view buffer);
  Progress run_request(std::string_view buffer);
  [[nodiscard]] Slot& slot(std::uint64_t tag);
  /// Moves the answers that are next in order to the output, and has it written at the end of the turn.
  void release();
  /// Writes what is answered, runs what was kept back, and sees what the connection needs next.
  void go_on();
  void settle();
  void flush();
  void note_stall(bool stalled);
  [[nodiscard]] bool blocked() const;

  Loop& loop_;
  engine::Engine& engine_;
  SessionOwner& owner_;
  std::unique_ptr<ByteStream> stream_;
  std::uint64_t id_;
  std::unique_ptr<Protocol> protocol_;  ///< null until the first bytes have decided
  std::string input_;   ///< an incomplete request, or requests that wait until reading goes on
  std::string output_;  ///< answers of this turn, written in one go
  std::deque<Slot> slots_;
  std::uint64_t first_slot_ = 0;  ///< tag of slots_.front()
  Instant stalled_since_ = Instant::max();
  bool paused_ = false;
  bool ending_ = false;  ///< after the last answer of the protocol: no more requests are run
  bool last_bytes_seen_ =
      false;               ///< the client sends no more, or we want no more; close when all is answered
  bool finished_ = false;  ///< the stream is flushing or closing
  bool active_ = false;
  bool flush_deferred_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  ///< gone with the session: guards deferred tasks
};

}  // namespace sluice::server
