#include "ctl/client.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

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
#include "ctl/blocking_io.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::ctl {
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
  const Deadline deadline = std::chrono::steady_clock::now() + timeout_;
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
    const auto got = receive(fd_, input_, deadline);
    if (!got) return std::unexpected(got.error());
    if (!*got) return failure("the daemon closed the connection");
  }
}

}  // namespace sluice::ctl
