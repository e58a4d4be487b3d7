// Host names to addresses, inside net/.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"

namespace sluice::net {

/// A lookup under way, in libuv's thread pool. Destroying it gives it up silently: `done` is not called any
/// more, and what libuv still needs lives on by itself.
class Lookup {
 public:
  /// At least one address, in the order in which they should be tried.
  using Done = std::function<void(Result<std::vector<SocketAddress>>)>;
  /// Called once, from the loop; may destroy the lookup.
  explicit Lookup(Done done);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  /// The error: it could not even begin, and `done` will not be called.
  [[nodiscard]] Result<void> start(UvLoop& loop, const std::string& host, std::uint16_t port);

 private:
  struct Request;
  void finish(Result<std::vector<SocketAddress>> result);

  Done done_;
  Request* request_ = nullptr;  ///< libuv's until its callback, which deletes it
};

}  // namespace sluice::net
