// One connection to the admin listener: requests, one after another, or a stream of events.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/loop.h"
#include "base/stream.h"
#include "base/time.h"
#include "server/admin/admin_api.h"
#include "wire/http1/request_parser.h"

namespace sluice::server {

class AdminSession;

/// What a session needs of its server.
class AdminOwner {
 public:
  virtual ~AdminOwner() = default;
  [[nodiscard]] virtual AdminAnswer answer(const wire::http1::Request& request) = 0;
  /// Whether one more stream may begin. If so, its first bytes: an event with the present state.
  [[nodiscard]] virtual bool begin_stream(std::string& first_event) = 0;
  /// The session is finished and may be destroyed, but not from inside this call.
  virtual void closed(AdminSession& session) = 0;
};

/// Rendering an answer takes time that checks wait for. So a session runs one request at a time, the next one
/// in another turn of the loop, and not before the client has taken the last answer. It holds one answer and
/// what one read brought.
class AdminSession final : public StreamEvents {
 public:
  /// What the session waits for.
  enum class Waits : std::uint8_t {
    idle,     ///< for a request to begin, or for the next event
    request,  ///< for the rest of one
    reader,   ///< for the client to take what was written
  };

  /// `loop` and `owner` outlive the session.
  AdminSession(Loop& loop, AdminOwner& owner, std::unique_ptr<ByteStream> stream);
  ~AdminSession() override;
  AdminSession(const AdminSession&) = delete;
  AdminSession& operator=(const AdminSession&) = delete;

  void start();
  [[nodiscard]] bool streaming() const { return mode_ == Mode::stream; }
  [[nodiscard]] Waits waits() const { return waits_; }
  [[nodiscard]] Instant since() const { return since_; }

  /// Writes an event to a stream. One that the client would get late is left out: the next has newer numbers.
  void send_event(std::string_view event);
  /// Closes, with 408 where a request was on its way.
  void time_out();
  void close();

  std::list<std::unique_ptr<AdminSession>>::iterator position;  ///< the server's, for removal in O(1)

 private:
  enum class Mode : std::uint8_t { requests, stream, ending };

  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_closed(std::string_view reason) override;

  /// Runs the request that is next, if now is the time for it, and sees what the connection needs then.
  void go_on();
  void run_request();
  void respond(const wire::http1::Request& request);
  void refuse(int status, std::string_view message);
  void begin_stream(const wire::http1::Response& response);
  void finish();
  void settle();

  Loop& loop_;
  AdminOwner& owner_;
  std::unique_ptr<ByteStream> stream_;
  wire::http1::RequestParser parser_;
  std::string input_;  ///< an incomplete request, or requests whose turn has not come
  Mode mode_ = Mode::requests;
  Waits waits_ = Waits::idle;
  Instant since_;
  TimerId rest_ = 0;  ///< until the next request may run
  bool end_seen_ = false;
  bool paused_ = false;
  bool got_on_ = false;  ///< since settle(): a new wait begins
};

}  // namespace sluice::server
