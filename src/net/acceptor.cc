#include "net/acceptor.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <uv.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/loop.h"
#include "base/result.h"
#include "base/stream.h"
#include "base/time.h"
#include "net/owned_handle.h"
#include "net/posix.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"
#include "net/uv_loop_impl.h"
#include "net/uv_stream.h"

namespace sluice::net {
namespace {

/// Pause after accept failed for want of resources.
constexpr Duration kAcceptRest = std::chrono::milliseconds{100};
/// Connections taken in one turn, so that a flood of new ones leaves time for the old.
constexpr int kAcceptsPerTurn = 64;

class Acceptor final : public Listener {
 public:
  Acceptor(UvLoop& loop, Fd socket, SocketKind kind, std::string address, ListenerEvents& events)
      : loop_(loop), events_(events), socket_(std::move(socket)), kind_(kind), address_(std::move(address)) {}
  ~Acceptor() override { loop_.stop_timer(rest_); }
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  [[nodiscard]] std::string address() const override { return address_; }

  int start();

 private:
  using Handle = OwnedHandle<uv_poll_t, Acceptor>;
  enum class Next { more, wait, rest };

  static void on_readable(uv_poll_t* poll, int status, int events);
  int watch() { return uv_poll_start(poll_.get(), UV_READABLE, &Acceptor::on_readable); }
  [[nodiscard]] Next accept_one();
  void rest();

  UvLoop& loop_;
  ListenerEvents& events_;
  Fd socket_;  // above the handle, which must be closed before the descriptor is
  Handle poll_{*this};
  SocketKind kind_;
  std::string address_;
  TimerId rest_ = 0;
};

int Acceptor::start() {
  const auto init = [this](uv_poll_t* poll) { return uv_poll_init(&loop_.impl().loop, poll, socket_.get()); };
  const int status = poll_.open(init);
  return status != 0 ? status : watch();
}

void Acceptor::on_readable(uv_poll_t* poll, int status, int /*events*/) {
  for (int i = 0; i < kAcceptsPerTurn; ++i) {
    Acceptor* self = Handle::owner_of(poll);
    if (self == nullptr) return;  // destroyed by who got the connection
    const Next next = status < 0 ? Next::rest : self->accept_one();
    if (next == Next::rest) self->rest();
    if (next != Next::more) return;
  }
}

Acceptor::Next Acceptor::accept_one() {
  SocketAddress from;
  Fd connection{::accept4(socket_.get(), from.raw(), from.room(), SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!connection) {
    // A client that gave up while it waited is its own business; for all else a pause costs little and cannot
    // spin.
    if (errno == EINTR || errno == ECONNABORTED || errno == EPROTO) return Next::more;
    return errno == EAGAIN ? Next::wait : Next::rest;
  }
  std::string peer = kind_ == SocketKind::tcp ? from.text() : "unix";
  auto stream = open_stream(loop_, std::move(connection), kind_, std::move(peer));
  if (stream) events_.on_connection(*std::move(stream));
  return Next::more;
}

void Acceptor::rest() {
  uv_poll_stop(poll_.get());
  rest_ = loop_.start_timer(kAcceptRest, [this] { watch(); });
}

}  // namespace

Result<std::unique_ptr<Listener>> accept_from(UvLoop& loop, Fd socket, SocketKind kind, std::string address,
                                              ListenerEvents& events) {
  auto acceptor = std::make_unique<Acceptor>(loop, std::move(socket), kind, std::move(address), events);
  const int status = acceptor->start();
  if (status != 0) {
    return failure(fmt::format("cannot watch {}: {}", acceptor->address(), uv_strerror(status)));
  }
  return acceptor;
}

}  // namespace sluice::net
