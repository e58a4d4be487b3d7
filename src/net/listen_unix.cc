#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/stream.h"
#include "net/acceptor.h"
#include "net/listen.h"
#include "net/posix.h"
#include "net/socket_file.h"
#include "net/uv_loop.h"
#include "net/uv_stream.h"

namespace sluice::net {
namespace {

class UnixListener final : public Listener {
 public:
  UnixListener(Fd lock, std::unique_ptr<Listener> acceptor, SocketFile file)
      : lock_(std::move(lock)), acceptor_(std::move(acceptor)), file_(std::move(file)) {}

  [[nodiscard]] std::string address() const override { return file_.path(); }

 private:
  // Ended from the last to the first: the file goes while the socket still holds its inode, and all while
  // locked.
  Fd lock_;
  std::unique_ptr<Listener> acceptor_;
  SocketFile file_;
};

}  // namespace

Result<std::unique_ptr<Listener>> listen_unix(UvLoop& loop, const UnixListenOptions& options,
                                              ListenerEvents& events) {
  auto bound = bind_socket_file(options);
  if (!bound) return std::unexpected(bound.error());
  auto acceptor = accept_from(loop, std::move(bound->socket), SocketKind::unix_domain, options.path, events);
  if (!acceptor) return acceptor;
  return std::make_unique<UnixListener>(std::move(bound->lock), *std::move(acceptor), std::move(bound->file));
}

}  // namespace sluice::net
