// One socket on its way to being connected, inside net/.
#pragma once

#include <uv.h>

#include <functional>
#include <utility>

#include "base/result.h"
#include "net/owned_handle.h"
#include "net/posix.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"

namespace sluice::net {

/// connect(2) to one address of any family, without blocking. Has no deadline. Destroying it gives it up.
class Dial {
 public:
  /// The error is what the operating system says: "Connection refused".
  using Done = std::function<void(Result<Fd>)>;
  /// `done` is called once, from the loop, unless start() failed; may destroy the dial.
  Dial(UvLoop& loop, Done done) : loop_(loop), done_(std::move(done)) {}
  ~Dial() = default;
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;

  /// The error: it failed at once.
  [[nodiscard]] Result<void> start(SocketAddress& address);

 private:
  using Handle = OwnedHandle<uv_poll_t, Dial>;
  static void on_writable(uv_poll_t* poll, int status, int events);
  void finish(int error_number);

  UvLoop& loop_;
  Done done_;
  Fd socket_;  // above the handle, which must be closed before the descriptor is
  Handle poll_{*this};
};

}  // namespace sluice::net
