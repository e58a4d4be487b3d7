#include "unit/net/support.h"

#include <gtest/gtest.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX, not C++
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/loop.h"
#include "net/posix.h"
#include "net/socket_address.h"
#include "net/uv_loop.h"

namespace sluice::net {

bool run_until(UvLoop& loop, const std::function<bool()>& done) {
  bool held = false;
  TimerId next = 0;
  const std::function<void()> ask = [&] {
    held = done();
    if (held) {
      loop.stop();
    } else {
      next = loop.start_timer(std::chrono::milliseconds{1}, ask);
    }
  };
  loop.defer(ask);
  const TimerId watchdog = loop.start_timer(kPatience, [&] { loop.stop(); });
  loop.run();
  loop.stop_timer(next);
  loop.stop_timer(watchdog);
  return held;
}

void run_turns(UvLoop& loop, int turns) {
  EXPECT_TRUE(run_until(loop, [&] { return turns-- == 0; }));
}

TempDir::TempDir() {
  std::string name = (std::filesystem::temp_directory_path() / "sluice-net-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  path_ = name;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream file{path, std::ios::trunc | std::ios::binary};
  file << content;
  file.close();
  EXPECT_TRUE(file.good()) << path;
}

std::size_t Client::send_some(std::string_view bytes) {
  const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent > 0 ? static_cast<std::size_t>(sent) : 0;
}

void Client::receive_some(std::string& into, std::size_t max) {
  const std::size_t before = into.size();
  into.resize(before + max);
  const ssize_t got = ::recv(socket_.get(), into.data() + before, max, MSG_DONTWAIT);
  if (got < 0 && errno != EAGAIN) error_ = errno;
  if (got == 0) saw_end_ = true;
  into.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
}

void Client::end_sending() {
  ::shutdown(socket_.get(), SHUT_WR);
}

Client connect_to(const std::string& address, int* error) {
  Fd socket;
  int status = -1;
  if (address.front() == '/') {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, address.data(), address.size());
    socket.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    status = ::connect(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name));
  } else {
    auto name = SocketAddress::parse(address).value();
    socket.reset(::socket(name.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    // Blocks for the kernel's handshake only: on one machine that needs no accept.
    status = ::connect(socket.get(), name.raw(), name.size());
  }
  const int cause = status == 0 ? 0 : errno;
  if (error != nullptr) {
    *error = cause;
  } else {
    EXPECT_EQ(cause, 0) << address;
  }
  return Client{std::move(socket)};
}

void Recorder::note(const std::function<void()>& hook) {
  if (inside_a_call) ++calls_inside;
  const auto last = hook;  // it may replace itself
  if (last) last();
}

void Recorder::on_bytes(std::string_view more) {
  bytes.append(more);
  note(bytes_hook);
}

void Recorder::on_end() {
  ++ends;
  note(end_hook);
}

void Recorder::on_drained() {
  ++drains;
  note(drained_hook);
}

void Recorder::on_closed(std::string_view reason) {
  closed.emplace_back(reason);
  note(closed_hook);
  // The reason lives as long as this call, whatever the hook did: a sanitizer sees if not.
  EXPECT_EQ(closed.back(), reason);
}

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24U);
  }
  return bytes;
}

}  // namespace sluice::net
