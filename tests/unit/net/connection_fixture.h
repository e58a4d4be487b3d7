// A listener, a client and the stream between them, over each kind of socket.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/result.h"
#include "base/stream.h"
#include "net/listen.h"
#include "net/uv_loop.h"
#include "net/uv_stream.h"
#include "unit/net/support.h"

namespace sluice::net {

class ConnectionTest : public testing::TestWithParam<SocketKind> {
 protected:
  void SetUp() override {
    auto made = GetParam() == SocketKind::tcp ? listen_tcp(loop, "127.0.0.1:0", 1024, accepted)
                                              : listen_unix(loop, {.path = directory / "s"}, accepted);
    ASSERT_TRUE(made.has_value()) << made.error().message;
    listener = *std::move(made);
  }

  /// The stream is the last of accepted.streams, not started.
  [[nodiscard]] Client connect() {
    const auto before = accepted.streams.size();
    Client client = connect_to(listener->address());
    EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() > before; }));
    return client;
  }

  /// Takes the stream over, so that a hook can destroy it.
  [[nodiscard]] std::unique_ptr<ByteStream> take_stream() {
    auto stream = std::move(accepted.streams.back());
    accepted.streams.pop_back();
    return stream;
  }

  TempDir directory;
  UvLoop loop;
  Collector accepted;
  std::unique_ptr<Listener> listener;
};

[[nodiscard]] inline std::string kind_name(const testing::TestParamInfo<SocketKind>& info) {
  return info.param == SocketKind::tcp ? "tcp" : "unix";
}

}  // namespace sluice::net
