#include "ctl/blocking_io.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice::ctl {

std::string system_error() {
  return std::strerror(errno);
}

Result<void> wait_for(int fd, short events, Deadline deadline) {
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return failure("the daemon did not answer in time; see --timeout");
    pollfd poll_fd{.fd = fd, .events = events, .revents = 0};
    const int ready = poll(&poll_fd, 1, static_cast<int>(left.count()));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return failure("poll: " + system_error());
  }
}

Result<void> send_all(int fd, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (auto ready = wait_for(fd, POLLOUT, deadline); !ready) return ready;
    } else if (errno != EINTR) {
      return failure("the connection broke: " + system_error());
    }
  }
  return {};
}

Result<bool> receive(int fd, std::string& into, Deadline deadline) {
  constexpr std::size_t kChunk = 16384;
  std::array<char, kChunk> buffer{};
  for (;;) {
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(got));
      return true;
    }
    if (got == 0) return false;
    if (errno == EAGAIN) {
      if (auto ready = wait_for(fd, POLLIN, deadline); !ready) return std::unexpected(ready.error());
    } else if (errno != EINTR) {
      return failure("the connection broke: " + system_error());
    }
  }
}

}  // namespace sluice::ctl
