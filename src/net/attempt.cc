#include "net/attempt.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/connector.h"
#include "base/result.h"
#include "base/time.h"
#include "net/dial.h"
#include "net/listen.h"
#include "net/posix.h"
#include "net/resolve.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"
#include "net/uv_stream.h"

namespace sluice::net {
namespace {

/// After this long without an answer the next address gets its turn.
constexpr Duration kAddressShare = std::chrono::seconds{1};

Result<SocketAddress> unix_address(const std::string& path) {
  if (path.size() > kMaxSocketPath) return failure("the path is too long for a Unix socket");
  sockaddr_un raw{};
  raw.sun_family = AF_UNIX;
  path.copy(raw.sun_path, kMaxSocketPath);
  SocketAddress address;
  std::memcpy(address.raw(), &raw, sizeof(raw));
  *address.room() = sizeof(raw);
  return address;
}

}  // namespace

void Attempt::begin() {
  const auto only = [this](Result<SocketAddress> address) {
    if (!address) return fail(fmt::format("{}: {}", endpoint_.text(), address.error().message));
    try_these(std::vector{*address});
  };
  if (!endpoint_.path.empty()) return only(unix_address(endpoint_.path));
  if (Address::parse(endpoint_.host)) return only(SocketAddress::parse(endpoint_.text()));
  lookup_.emplace([this](auto addresses) { try_these(std::move(addresses)); });
  const auto started = lookup_->start(loop_, endpoint_.host, endpoint_.port);
  if (!started) fail(started.error().message);
}

void Attempt::try_these(Result<std::vector<SocketAddress>> addresses) {
  if (!addresses) return fail(addresses.error().message);
  addresses_ = *std::move(addresses);
  try_next();
}

void Attempt::try_next() {
  for (; next_ < addresses_.size(); ++next_) {
    dial_.emplace(loop_, [this](Result<Fd> socket) {
      if (socket) return connected(*std::move(socket));
      address_failed(socket.error().message);
    });
    const auto started = dial_->start(addresses_[next_]);
    if (started) {
      share_ = loop_.start_timer(kAddressShare, [this] { address_failed("no answer within 1 s"); });
      return;
    }
    last_failure_ = fmt::format("{}: {}", where(), started.error().message);
  }
  fail(last_failure_);
}

void Attempt::address_failed(const std::string& why) {
  loop_.stop_timer(share_);
  last_failure_ = fmt::format("{}: {}", where(), why);
  ++next_;
  try_next();
}

void Attempt::connected(Fd socket) {
  loop_.stop_timer(share_);
  const bool tcp = endpoint_.path.empty();
  auto stream = open_stream(loop_, std::move(socket), tcp ? SocketKind::tcp : SocketKind::unix_domain,
                            tcp ? addresses_[next_].text() : "unix");
  if (!stream) return address_failed(stream.error().message);
  events_.on_connected(*std::move(stream));  // may destroy this
}

std::string Attempt::where() const {
  const std::string asked = endpoint_.text();
  const std::string tried = endpoint_.path.empty() ? addresses_[next_].text() : asked;
  return tried == asked ? asked : fmt::format("{} at {}", asked, tried);
}

void Attempt::fail(std::string reason) {  // NOLINT(performance-unnecessary-value-param): see above
  events_.on_connect_failed(reason);
}

}  // namespace sluice::net
