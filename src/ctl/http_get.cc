#include "ctl/http_get.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include "base/connector.h"
#include "base/result.h"
#include "base/time.h"
#include "ctl/blocking_io.h"
#include "wire/http1/response_parser.h"

namespace sluice::ctl {
namespace {

constexpr std::size_t kMaxBody = 16UL * 1024 * 1024;

/// Closes what it holds.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Result<Socket> dial(const addrinfo& address, Deadline deadline) {
  Socket dialled(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (dialled.get() < 0) return failure(system_error());
  if (connect(dialled.get(), address.ai_addr, address.ai_addrlen) == 0) return dialled;
  if (errno != EINPROGRESS) return failure(system_error());
  if (auto ready = wait_for(dialled.get(), POLLOUT, deadline); !ready) return std::unexpected(ready.error());
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(dialled.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return failure(system_error());
  errno = error;
  if (error != 0) return failure(system_error());
  return dialled;
}

/// Tries each address of the name in turn.
Result<Socket> dial(const Endpoint& endpoint, Deadline deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int looked_up =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &hints, &found);
  if (looked_up != 0) return failure(gai_strerror(looked_up));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, &freeaddrinfo);
  Result<Socket> last = failure("no address");
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    last = dial(*each, deadline);
    if (last) break;
  }
  return last;
}

Result<HttpReply> read_reply(int fd, Deadline deadline) {
  using wire::http1::ResponseStatus;
  wire::http1::ResponseParser parser(
      {.max_header_bytes = 16UL * 1024, .max_headers = 100, .max_body_bytes = kMaxBody});
  wire::http1::ReceivedResponse response;
  std::string input;
  for (;;) {
    const auto got = receive(fd, input, deadline);
    if (!got) return std::unexpected(got.error());
    const ResponseStatus status = *got ? parser.parse(input, response) : parser.end(input, response);
    if (status == ResponseStatus::malformed)
      return failure("not an answer of sluiced: " + std::string(parser.message()));
    if (status == ResponseStatus::complete)
      return HttpReply{.status = response.status, .body = std::string(response.body)};
  }
}

Result<HttpReply> exchange(const Endpoint& endpoint, const std::string& target, Deadline deadline) {
  const auto connection = dial(endpoint, deadline);
  if (!connection) return std::unexpected(connection.error());
  const std::string request =
      "GET " + target + " HTTP/1.1\r\nHost: " + endpoint.text() + "\r\nConnection: close\r\n\r\n";
  if (auto sent = send_all(connection->get(), request, deadline); !sent) return std::unexpected(sent.error());
  return read_reply(connection->get(), deadline);
}

}  // namespace

Result<HttpReply> http_get(const std::string& address, const std::string& target, Duration timeout) {
  const auto endpoint = Endpoint::parse(address);
  if (!endpoint || !endpoint->path.empty())
    return failure("\"" + address + "\" is not host:port, such as 127.0.0.1:9464");
  auto reply = exchange(*endpoint, target, std::chrono::steady_clock::now() + timeout);
  if (!reply) {
    return failure("no answer from the admin listener at " + address + ": " + reply.error().message +
                   "; is sluiced running, with [server] admin set? --admin names another place");
  }
  return reply;
}

}  // namespace sluice::ctl
