// Reading from and writing to a socket that does not block, up to a deadline.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice::ctl {

using Deadline = std::chrono::steady_clock::time_point;

/// What errno says.
[[nodiscard]] std::string system_error();

/// Waits until `fd` can be read or written (POLLIN or POLLOUT).
[[nodiscard]] Result<void> wait_for(int fd, short events, Deadline deadline);

[[nodiscard]] Result<void> send_all(int fd, std::string_view bytes, Deadline deadline);

/// Appends what has arrived; waits for at least a byte. False: the peer has closed.
[[nodiscard]] Result<bool> receive(int fd, std::string& into, Deadline deadline);

}  // namespace sluice::ctl
