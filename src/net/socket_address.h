// IP addresses with a port, inside net/.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice::net {

class SocketAddress {
 public:
  SocketAddress() = default;

  /// "127.0.0.1:7379", "[::1]:7379", "localhost:7379" (which is 127.0.0.1: nothing is resolved). The error
  /// says what is wrong with the text.
  [[nodiscard]] static Result<SocketAddress> parse(std::string_view text);

  /// As parse() reads it. Anything but IPv4 and IPv6 gives "unknown".
  [[nodiscard]] std::string text() const;

  [[nodiscard]] int family() const { return storage_.ss_family; }

  /// For calls that fill an address in, and that read one.
  [[nodiscard]] sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t* room() { return &size_; }
  [[nodiscard]] socklen_t size() const { return size_; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = sizeof(sockaddr_storage);
};

}  // namespace sluice::net
