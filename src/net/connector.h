// Outgoing connections over real sockets.
#pragma once

#include <memory>

#include "base/connector.h"
#include "net/uv_loop.h"

namespace sluice::net {

/// Names are looked up in libuv's thread pool, so that a slow resolver blocks nobody; addresses are taken as
/// they are. Each address of a name has a second, then the next one is tried. TCP gets keepalive and a bound
/// on unacknowledged data. `loop` must outlive the connector and its attempts; ending the loop waits for a
/// lookup that still runs.
[[nodiscard]] std::unique_ptr<Connector> make_connector(UvLoop& loop);

}  // namespace sluice::net
