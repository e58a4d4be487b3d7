// Accepting connections, inside net/.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/stream.h"
#include "net/posix.h"
#include "net/uv_loop.h"
#include "net/uv_stream.h"

namespace sluice::net {

/// Accepts from `socket`, which listens and does not block. With descriptors or memory exhausted it leaves
/// clients in the backlog and looks again after kAcceptRest. (libuv's own listening would close them, and
/// in 1.44 can spin for good when another thread takes the descriptor that it keeps in reserve for that.)
[[nodiscard]] Result<std::unique_ptr<Listener>> accept_from(UvLoop& loop, Fd socket, SocketKind kind,
                                                            std::string address, ListenerEvents& events);

}  // namespace sluice::net
