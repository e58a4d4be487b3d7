#include "net/dial.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <uv.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/result.h"
#include "net/posix.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"
#include "net/uv_loop_impl.h"

namespace sluice::net {
namespace {

/// A peer that vanishes without a word (its machine died, a firewall forgot us) is noticed when idle after
/// 15 + 3 × 5 s, and with bytes under way after 10 s.
constexpr int kKeepaliveIdleSeconds = 15;
constexpr int kKeepaliveIntervalSeconds = 5;
constexpr int kKeepaliveProbes = 3;
constexpr int kUserTimeoutMs = 10'000;

void notice_dead_peers(int fd) {
  const auto set = [fd](int level, int option, int value) {
    ::setsockopt(fd, level, option, &value, sizeof(value));  // without it the connection works all the same
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kKeepaliveIdleSeconds);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kKeepaliveIntervalSeconds);
  set(IPPROTO_TCP, TCP_KEEPCNT, kKeepaliveProbes);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
}

/// Connecting over and over to a local port where nobody listens, one meets oneself some day: TCP lets two
/// ends open at once, and both may be the same socket.
bool is_connected_to_itself(int fd) {
  SocketAddress ours;
  SocketAddress theirs;
  if (::getsockname(fd, ours.raw(), ours.room()) != 0) return false;
  if (::getpeername(fd, theirs.raw(), theirs.room()) != 0) return false;
  const bool tcp = ours.family() == AF_INET || ours.family() == AF_INET6;
  return tcp && ours.size() == theirs.size() && std::memcmp(ours.raw(), theirs.raw(), ours.size()) == 0;
}

}  // namespace

Result<void> Dial::start(SocketAddress& address) {
  socket_ = Fd(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_) return failure(error_text(errno));
  if (address.family() != AF_UNIX) notice_dead_peers(socket_.get());
  // A connection that is there at once is writable at once, and so takes the same path. (EAGAIN is a Unix
  // socket's full backlog: nothing would ever become writable.)
  if (::connect(socket_.get(), address.raw(), address.size()) != 0 && errno != EINPROGRESS)
    return failure(error_text(errno));
  const auto init = [this](uv_poll_t* poll) { return uv_poll_init(&loop_.impl().loop, poll, socket_.get()); };
  int status = poll_.open(init);
  if (status == 0) status = uv_poll_start(poll_.get(), UV_WRITABLE, &Dial::on_writable);
  if (status != 0) return failure(uv_strerror(status));
  return {};
}

void Dial::on_writable(uv_poll_t* poll, int status, int /*events*/) {
  Dial* self = Handle::owner_of(poll);
  if (self == nullptr) return;
  int error_number = 0;
  socklen_t size = sizeof(error_number);
  if (::getsockopt(self->socket_.get(), SOL_SOCKET, SO_ERROR, &error_number, &size) != 0)
    error_number = errno;
  if (error_number == 0 && status < 0) error_number = -status;  // libuv's numbers are negated errno here
  if (error_number == 0 && is_connected_to_itself(self->socket_.get())) error_number = ECONNREFUSED;
  self->finish(error_number);
}

void Dial::finish(int error_number) {
  poll_.close();  // before the socket gets another handle
  const Done done = std::move(done_);
  if (error_number != 0) {
    done(failure(error_text(error_number)));
  } else {
    done(std::move(socket_));
  }
}

}  // namespace sluice::net
