// The admin listener's connections: metrics, health, the page and its stream.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "base/loop.h"
#include "base/stream.h"
#include "base/time.h"
#include "server/admin/admin_api.h"
#include "server/admin/admin_session.h"
#include "server/admin/admin_source.h"
#include "wire/http1/request_parser.h"

namespace sluice::server {

struct AdminOptions {
  std::size_t max_connections = 64;  ///< one more is answered 503 and closed
  std::size_t max_streams = 16;      ///< of those; one more is answered 503
  Duration request_timeout =
      std::chrono::seconds{10};  ///< for a request to arrive, and for an answer to be taken
  Duration idle_timeout = std::chrono::minutes{2};     ///< between requests; longer than scrapes are apart
  Duration stream_interval = std::chrono::seconds{1};  ///< between events
};

struct AdminCounters {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;    ///< over max_connections
  std::uint64_t timed_out = 0;  ///< closed by one of the two timeouts
};

/// Bound: max_connections sessions, each with one answer. Owned by the daemon; the admin listener reports
/// here.
class AdminServer final : public ListenerEvents, public AdminOwner {
 public:
  /// `loop` and `source` outlive the server.
  AdminServer(Loop& loop, AdminSource& source, const AdminOptions& options);
  ~AdminServer() override;
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  void on_connection(std::unique_ptr<ByteStream> stream) override;

  /// Closes all connections at once: nothing here is worth the wait. The listener must be gone by then.
  void drain();

  [[nodiscard]] std::size_t connections() const { return sessions_.size(); }
  [[nodiscard]] std::size_t streams() const;
  [[nodiscard]] const AdminCounters& counters() const { return counters_; }

 private:
  [[nodiscard]] AdminAnswer answer(const wire::http1::Request& request) override;
  [[nodiscard]] bool begin_stream(std::string& first_event) override;
  void closed(AdminSession& session) override;
  /// The present state as an event.
  [[nodiscard]] std::string event();
  void tick();
  void arm_sweep();
  void sweep();

  Loop& loop_;
  AdminSource& source_;
  AdminOptions options_;
  AdminApi api_;
  AdminCounters counters_;
  std::list<std::unique_ptr<AdminSession>> sessions_;
  TimerId tick_timer_ = 0;   ///< while there are streams
  TimerId sweep_timer_ = 0;  ///< while there are sessions
};

}  // namespace sluice::server
