// Listening sockets.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/stream.h"
#include "net/uv_loop.h"

namespace sluice::net {

/// Longest path a Unix socket can have on Linux. libuv would cut a longer one silently.
inline constexpr std::size_t kMaxSocketPath = 107;

struct UnixListenOptions {
  std::string path;
  mode_t mode = 0660;
  std::optional<gid_t> group = std::nullopt;  ///< who owns the socket file; nothing: the process's own
  int backlog = 1024;
};

/// Takes over `path` without a moment in which it is missing, wrong or open to the wrong people:
/// lock file `path`.lock (flock, holds our pid) → is somebody answering on `path`? then refuse → bind a
/// temporary name in the same directory → chmod, chown → listen → rename over `path`. A stale socket of a
/// killed daemon is replaced. A path that is not a socket is never replaced. Errors name the path, the cause
/// and, when another process holds the socket, its pid. On destruction the path is unlinked only if it is
/// still our inode; the lock is released (its file stays, as removing it would race).
[[nodiscard]] Result<std::unique_ptr<Listener>> listen_unix(UvLoop& loop, const UnixListenOptions& options,
                                                            ListenerEvents& events);

/// `address` is "127.0.0.1:7379", "[::1]:7379" or "localhost:7379"; port 0 takes a free one (see address()).
/// TCP_NODELAY is set on what is accepted.
[[nodiscard]] Result<std::unique_ptr<Listener>> listen_tcp(UvLoop& loop, const std::string& address,
                                                           int backlog, ListenerEvents& events);

}  // namespace sluice::net
