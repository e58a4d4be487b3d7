// A blocking connection to a daemon, for one command at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "wire/resp/reply_parser.h"

namespace sluice::ctl {

/// Speaks RESP3 over a Unix socket. Every step is bounded by the deadline of its call; after an error the
/// connection is of no more use.
class Client {
 public:
  /// Errors name the socket and what to do: start sluiced, or pass --socket.
  [[nodiscard]] static Result<Client> connect(const std::string& socket_path, Duration timeout);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&& other) noexcept;
  Client& operator=(Client&& other) noexcept;

  /// Sends one command and reads its reply; an error reply of the daemon is an Error.
  [[nodiscard]] Result<wire::resp::Value> call(const std::vector<std::string_view>& words);

 private:
  Client(int fd, Duration timeout) : fd_(fd), timeout_(timeout) {}
  int fd_;
  Duration timeout_;
  std::string input_;
};

}  // namespace sluice::ctl
