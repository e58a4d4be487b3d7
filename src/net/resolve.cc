#include "net/resolve.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <uv.h>

#include <cstdint>
#include <cstring>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"
#include "net/uv_loop_impl.h"

namespace sluice::net {
namespace {

constexpr std::size_t kMaxAddresses = 64;  ///< of one name; more are not tried

Error lookup_error(const std::string& host, int status) {
  return Error{fmt::format("cannot look up \"{}\": {}", host, uv_strerror(status))};
}

std::vector<SocketAddress> addresses_of(const addrinfo* list) {
  std::vector<SocketAddress> addresses;
  for (; list != nullptr && addresses.size() < kMaxAddresses; list = list->ai_next) {
    if (list->ai_family != AF_INET && list->ai_family != AF_INET6) continue;
    SocketAddress& address = addresses.emplace_back();
    std::memcpy(address.raw(), list->ai_addr, list->ai_addrlen);
    *address.room() = list->ai_addrlen;
  }
  return addresses;
}

}  // namespace

struct Lookup::Request {
  uv_getaddrinfo_t raw{};
  Lookup* owner = nullptr;  ///< null: given up
  std::string host;

  static void on_done(uv_getaddrinfo_t* raw, int status, addrinfo* list);
};

void Lookup::Request::on_done(uv_getaddrinfo_t* raw, int status, addrinfo* list) {
  const std::unique_ptr<Request> request(static_cast<Request*>(raw->data));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(list, &uv_freeaddrinfo);
  if (request->owner == nullptr) return;
  request->owner->request_ = nullptr;
  if (status == 0) {
    auto found = addresses_of(addresses.get());
    if (!found.empty()) {
      request->owner->finish(std::move(found));
      return;
    }
    status = UV_EAI_NONAME;
  }
  request->owner->finish(std::unexpected(lookup_error(request->host, status)));
}

Lookup::Lookup(Done done) : done_(std::move(done)) {}

Lookup::~Lookup() {
  if (request_ == nullptr) return;
  request_->owner = nullptr;
  // Works only while it waits for a thread. A lookup that runs ends in its own time, and finds no owner.
  uv_cancel(reinterpret_cast<uv_req_t*>(&request_->raw));
}

Result<void> Lookup::start(UvLoop& loop, const std::string& host, std::uint16_t port) {
  auto request = std::make_unique<Request>();
  request->owner = this;
  request->host = host;
  request->raw.data = request.get();
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  const int status = uv_getaddrinfo(&loop.impl().loop, &request->raw, &Request::on_done, host.c_str(),
                                    std::to_string(port).c_str(), &hints);
  if (status != 0) return std::unexpected(lookup_error(host, status));
  request_ = request.release();
  return {};
}

void Lookup::finish(Result<std::vector<SocketAddress>> result) {
  const Done done = std::move(done_);  // must last though the call destroys this
  done(std::move(result));
}

}  // namespace sluice::net
