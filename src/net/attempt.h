// One attempt to connect, inside net/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/liveness.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/stream.h"
#include "net/dial.h"
#include "net/posix.h"
#include "net/resolve.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"

namespace sluice::net {

/// Looks up, then tries address after address, each for a second at most. begin() or try_these() is called
/// once, from the loop.
class Attempt final : public ConnectAttempt {
 public:
  Attempt(UvLoop& loop, Endpoint endpoint, ConnectEvents& events)
      : loop_(loop), endpoint_(std::move(endpoint)), events_(events) {}
  ~Attempt() override { loop_.stop_timer(share_); }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  void begin();
  void try_these(Result<std::vector<SocketAddress>> addresses);
  [[nodiscard]] Liveness::Watch watch() const { return liveness_.watch(); }

 private:
  void try_next();
  void address_failed(const std::string& why);
  void connected(Fd socket);
  /// For people: the address being tried, and the name it stands for.
  [[nodiscard]] std::string where() const;
  /// By value: the reason must last through the call, which may destroy this.
  void fail(std::string reason);

  UvLoop& loop_;
  Endpoint endpoint_;
  ConnectEvents& events_;
  std::optional<Lookup> lookup_;
  std::vector<SocketAddress> addresses_;
  std::size_t next_ = 0;  ///< the address being tried
  std::optional<Dial> dial_;
  TimerId share_ = 0;
  std::string last_failure_;
  Liveness liveness_;
};

}  // namespace sluice::net
