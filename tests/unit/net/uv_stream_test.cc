// Aim: bytes go both ways complete and in order, with back-pressure, over both kinds of socket; idle streams
// are small.
//
// Method: the client is driven from the same loop, a little at each question of run_until.
#include "net/uv_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "net/listen.h"
#include "unit/net/connection_fixture.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class UvStreamTest : public ConnectionTest {};
INSTANTIATE_TEST_SUITE_P(, UvStreamTest, testing::Values(SocketKind::unix_domain, SocketKind::tcp),
                         kind_name);

/// Sends back what it gets, and stops reading while more than kQueueMax waits to go.
struct Echo final : StreamEvents {
  static constexpr std::size_t kQueueMax = std::size_t{128} * 1024;
  explicit Echo(ByteStream& its_stream) : stream(its_stream) {}
  ByteStream& stream;
  std::size_t most_unsent = 0;
  int pauses = 0;
  int drains = 0;

  void on_bytes(std::string_view bytes) override {
    stream.write(bytes);
    most_unsent = std::max(most_unsent, stream.unsent());
    if (stream.unsent() <= kQueueMax) return;
    ++pauses;
    stream.pause();
  }
  void on_drained() override {
    ++drains;
    EXPECT_EQ(stream.unsent(), 0U);
    stream.resume();
  }
  void on_end() override { stream.finish(); }
  void on_closed(std::string_view) override {}
};

TEST_P(UvStreamTest, EchoesTenMebibytesThroughASlowReader) {
  const std::string sent = pattern(10 * kMebibyte);
  Client client = connect();
  const auto stream = take_stream();
  Echo echo{*stream};
  stream->start(echo);

  std::string_view left = sent;
  std::string received;
  const auto pump = [&] {
    // As much as goes in, but only a little out: the queues between fill up.
    while (const std::size_t taken = client.send_some(left)) left.remove_prefix(taken);
    if (left.empty()) client.end_sending();
    client.receive_some(received, std::size_t{100} * 1000);
    return client.saw_end();
  };
  EXPECT_TRUE(run_until(loop, pump));
  EXPECT_TRUE(received == sent);
  EXPECT_GT(echo.pauses, 0);
  EXPECT_GT(echo.drains, 0);
  EXPECT_LE(echo.most_unsent, Echo::kQueueMax + std::size_t{64} * 1024);
}

TEST_P(UvStreamTest, SendsManySmallWritesInOrderAndReportsTheDrainOnce) {
  const std::string sent = pattern(4 * kMebibyte);
  Client client = connect();
  const auto stream = take_stream();
  Recorder events;
  stream->start(events);
  for (std::size_t from = 0; from < sent.size(); from += 1000) {
    stream->write(std::string_view{sent}.substr(from, 1000));
  }
  EXPECT_GT(stream->unsent(), 0U);
  EXPECT_EQ(events.drains, 0);

  std::string received;
  std::size_t unsent = stream->unsent();
  const auto read_some = [&] {
    client.receive_some(received);
    EXPECT_LE(stream->unsent(), unsent);  // only ever less
    unsent = stream->unsent();
    return received.size() == sent.size();
  };
  EXPECT_TRUE(run_until(loop, read_some));
  EXPECT_TRUE(run_until(loop, [&] { return events.drains > 0; }));
  EXPECT_TRUE(received == sent);
  EXPECT_EQ(stream->unsent(), 0U);
  EXPECT_EQ(events.drains, 1);
}

TEST_P(UvStreamTest, CountsUnsentBytesExactly) {
  // For Unix sockets the kernel's side can be counted too: what was taken lies in the reader's queue.
  if (GetParam() == SocketKind::tcp)
    GTEST_SKIP() << "TCP keeps bytes in places that cannot be counted at once";
  Client client = connect();
  const auto stream = take_stream();
  Recorder events;
  stream->start(events);
  const std::size_t total = 2 * kMebibyte;
  stream->write(pattern(kMebibyte));
  stream->write(pattern(kMebibyte));
  std::string received;
  const auto balanced = [&] {
    int unread = 0;
    EXPECT_EQ(::ioctl(client.fd(), FIONREAD, &unread), 0);
    EXPECT_EQ(received.size() + static_cast<std::size_t>(unread) + stream->unsent(), total);
    client.receive_some(received, 70'000);
    return received.size() == total;
  };
  EXPECT_TRUE(run_until(loop, balanced));
}

TEST_P(UvStreamTest, APausedStreamKeepsQuietUntilResumed) {
  Client client = connect();
  const auto stream = take_stream();
  Recorder events;
  stream->pause();  // also before it is started
  stream->start(events);
  EXPECT_EQ(client.send_some("one"), 3U);
  run_turns(loop, 10);
  EXPECT_EQ(events.bytes, "");

  events.bytes_hook = [&] { stream->pause(); };
  stream->resume();
  stream->resume();
  EXPECT_TRUE(run_until(loop, [&] { return events.bytes == "one"; }));
  EXPECT_EQ(client.send_some("two"), 3U);
  client.end_sending();
  run_turns(loop, 10);
  EXPECT_EQ(events.bytes, "one");
  EXPECT_EQ(events.ends, 0);

  events.bytes_hook = nullptr;
  stream->resume();
  EXPECT_TRUE(run_until(loop, [&] { return events.ends == 1; }));
  EXPECT_EQ(events.bytes, "onetwo");
}

TEST_P(UvStreamTest, WritesAfterThePeersEnd) {
  Client client = connect();
  const auto stream = take_stream();
  Recorder events;
  stream->start(events);
  EXPECT_EQ(client.send_some("question"), 8U);
  client.end_sending();
  EXPECT_TRUE(run_until(loop, [&] { return events.ends == 1; }));
  EXPECT_EQ(events.bytes, "question");
  run_turns(loop, 5);
  EXPECT_EQ(events.ends, 1);
  EXPECT_TRUE(events.closed.empty());

  stream->resume();  // nothing more to read, and no second end
  stream->write("answer");
  std::string received;
  EXPECT_TRUE(run_until(loop, [&] {
    client.receive_some(received);
    return received == "answer";
  }));
  stream->finish();
  EXPECT_TRUE(run_until(loop, [&] {
    client.receive_some(received);
    return client.saw_end();
  }));
  EXPECT_EQ(events.ends, 1);
  EXPECT_EQ(events.closed, std::vector<std::string>{"finished"});
}

TEST_P(UvStreamTest, NamesItsPeer) {
  const Client client = connect();
  if (GetParam() == SocketKind::unix_domain) {
    EXPECT_EQ(accepted.streams.back()->peer(), "unix");
    return;
  }
  sockaddr_in name{};
  socklen_t size = sizeof(name);
  ASSERT_EQ(::getsockname(client.fd(), reinterpret_cast<sockaddr*>(&name), &size), 0);
  EXPECT_EQ(accepted.streams.back()->peer(), "127.0.0.1:" + std::to_string(ntohs(name.sin_port)));
}

TEST_P(UvStreamTest, IdleConnectionsAreSmall) {
  constexpr std::size_t kConnections = 300;
  constexpr std::size_t kLibuvHandle = 264;  // sizeof(uv_pipe_t), the larger one, in libuv 1.44
  std::vector<Client> clients;
  std::vector<std::unique_ptr<ByteStream>> streams;
  std::vector<Recorder> events(kConnections);
  clients.reserve(kConnections);
  streams.reserve(kConnections);
  const auto add = [&] {
    clients.push_back(connect());
    streams.push_back(take_stream());
    streams.back()->start(events.at(streams.size() - 1));
    streams.back()->write("hello");
    clients.back().send_some("hello");
  };
  for (std::size_t i = 0; i < kConnections / 3; ++i) add();  // whatever libuv and the loop grow to
  const std::size_t before = mallinfo2().uordblks;
  const std::size_t warm = streams.size();
  while (streams.size() < kConnections) add();
  EXPECT_TRUE(run_until(loop, [&] { return events.back().bytes == "hello"; }));
  const std::size_t heap = mallinfo2().uordblks - before;
  // 0 under sanitizers, which have an allocator of their own.
  const std::size_t each = heap / (kConnections - warm);
  std::cout << "heap per idle connection: " << each << " B, of which libuv's handle " << kLibuvHandle
            << " B\n";
  EXPECT_LE(each, 1024 + kLibuvHandle);
}

TEST(UvStreamTcpTest, SendsWithoutDelay) {
  UvLoop loop;
  Collector accepted;
  const auto listener = listen_tcp(loop, "127.0.0.1:0", 16, accepted);
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  const Client client = connect_to((*listener)->address());
  EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() == 1; }));
  sockaddr_in name{};
  socklen_t size = sizeof(name);
  ASSERT_EQ(::getsockname(client.fd(), reinterpret_cast<sockaddr*>(&name), &size), 0);
  // The stream does not show its descriptor: it is the one whose peer is our client.
  int found = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in peer{};
    size = sizeof(peer);
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0 || peer.sin_family != AF_INET)
      continue;
    if (peer.sin_port != name.sin_port) continue;
    int no_delay = 0;
    size = sizeof(no_delay);
    EXPECT_EQ(::getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
    EXPECT_NE(no_delay, 0);
    EXPECT_NE(::fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    ++found;
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace sluice::net
