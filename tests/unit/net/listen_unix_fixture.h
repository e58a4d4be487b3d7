// What the tests of listen_unix share: a directory of their own, and sockets of other programs in it.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "base/result.h"
#include "base/stream.h"
#include "net/listen.h"
#include "net/posix.h"
#include "net/uv_loop.h"
#include "unit/net/support.h"

namespace sluice::net {

[[nodiscard]] inline struct stat status_of(const std::string& path) {
  struct stat found{};
  EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
  return found;
}

/// A socket of another program: no lock, perhaps nobody listening any more.
[[nodiscard]] inline Fd foreign_socket(const std::string& path, int type = SOCK_STREAM) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.data(), path.size());
  Fd socket{::socket(AF_UNIX, type | SOCK_CLOEXEC, 0)};
  if (!socket) std::abort();
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  if (type == SOCK_STREAM) {
    EXPECT_EQ(::listen(socket.get(), 0), 0);
  }
  return socket;
}

struct ListenUnixFixture : testing::Test {
  TempDir directory;
  std::string path = directory / "sluice.sock";
  UvLoop loop;
  Collector accepted;

  Result<std::unique_ptr<Listener>> listen(UnixListenOptions options = {}) {
    if (options.path.empty()) options.path = path;
    return listen_unix(loop, options, accepted);
  }
  void expect_serves(const std::string& at) {
    const std::size_t before = accepted.streams.size();
    const Client client = connect_to(at);
    EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() > before; }));
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator{directory.path()}) {
      found.insert(entry.path().filename().string());
    }
    return found;
  }
};

}  // namespace sluice::net
