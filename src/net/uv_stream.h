// Connected sockets as byte streams, inside net/.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/stream.h"
#include "net/posix.h"
#include "net/uv_loop.h"

namespace sluice::net {

enum class SocketKind { unix_domain, tcp };

/// Makes a stream of a connected socket. TCP gets TCP_NODELAY. `peer` is what ByteStream::peer() will say.
/// on_drained comes only after bytes had to wait: a write that the operating system took whole is not
/// reported.
[[nodiscard]] Result<std::unique_ptr<ByteStream>> open_stream(UvLoop& loop, Fd socket, SocketKind kind,
                                                              std::string peer);

}  // namespace sluice::net
