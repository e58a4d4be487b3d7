#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/stream.h"
#include "net/acceptor.h"
#include "net/listen.h"
#include "net/posix.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"
#include "net/uv_stream.h"

namespace sluice::net {

Result<std::unique_ptr<Listener>> listen_tcp(UvLoop& loop, const std::string& address, int backlog,
                                             ListenerEvents& events) {
  auto wanted = SocketAddress::parse(address);
  if (!wanted) return std::unexpected(wanted.error());
  const auto failed = [&](std::string_view step) {
    const char* advice = errno == EADDRINUSE ? "; stop the program that uses it or choose another port" : "";
    return failure(fmt::format("cannot listen on {}: {}: {}{}", address, step, error_text(errno), advice));
  };

  Fd socket{::socket(wanted->family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket) return failed("socket");
  // Without it the port of a daemon that has just stopped stays taken for a minute.
  const int on = 1;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
    return failed("SO_REUSEADDR");
  if (::bind(socket.get(), wanted->raw(), wanted->size()) != 0) return failed("bind");
  if (::listen(socket.get(), backlog) != 0) return failed("listen");

  SocketAddress bound;
  if (::getsockname(socket.get(), bound.raw(), bound.room()) != 0) return failed("getsockname");
  return accept_from(loop, std::move(socket), SocketKind::tcp, bound.text(), events);
}

}  // namespace sluice::net
