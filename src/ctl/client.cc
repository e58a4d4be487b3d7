#include "ctl/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::ctl {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Deadline = SteadyClock::time_point;

std::string system_error() {
  return std::strerror(errno);
}

/// Waits until the socket can be read or written.
Result<void> wait_for(int fd, short events, Deadline deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - SteadyClock::now());
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

/// Appends what has arrived; waits for at least a byte.
Result<void> receive(int fd, std::string& into, Deadline deadline) {
  constexpr std::size_t kChunk = 16384;
  std::array<char, kChunk> buffer{};
  for (;;) {
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(got));
      return {};
    }
    if (got == 0) return failure("the daemon closed the connection");
    if (errno == EAGAIN) {
      if (auto ready = wait_for(fd, POLLIN, deadline); !ready) return ready;
    } else if (errno != EINTR) {
      return failure("the connection broke: " + system_error());
    }
  }
}

}  // namespace

Result<Client> Client::connect(const std::string& socket_path, Duration timeout) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    return failure("socket path is longer than 107 bytes: " + socket_path);
  }
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return failure("socket: " + system_error());
  Client client(fd, timeout);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return failure("cannot reach sluiced at " + socket_path + ": " + system_error() +
                   "; is it running? --socket names another place");
  }
  if (auto hello = client.call({"HELLO", "3"}); !hello) return std::unexpected(hello.error());
  return client;
}

Client::~Client() {
  if (fd_ >= 0) close(fd_);
}

Client::Client(Client&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), timeout_(other.timeout_), input_(std::move(other.input_)) {}

Client& Client::operator=(Client&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(timeout_, other.timeout_);
  std::swap(input_, other.input_);
  return *this;
}

Result<wire::resp::Value> Client::call(const std::vector<std::string_view>& words) {
  const Deadline deadline = SteadyClock::now() + timeout_;
  std::string request;
  wire::resp::append_command(request, words);
  if (auto sent = send_all(fd_, request, deadline); !sent) return std::unexpected(sent.error());
  for (;;) {
    wire::resp::Value value;
    std::size_t consumed = 0;
    std::string error;
    const auto status = wire::resp::parse_reply(input_, {}, value, consumed, error);
    if (status == wire::resp::ParseStatus::malformed) return failure("not a reply of sluiced: " + error);
    if (status == wire::resp::ParseStatus::complete) {
      input_.erase(0, consumed);
      if (value.kind == wire::resp::Value::Kind::error) return failure(value.text);
      return value;
    }
    if (auto got = receive(fd_, input_, deadline); !got) return std::unexpected(got.error());
  }
}

}  // namespace sluice::ctl
