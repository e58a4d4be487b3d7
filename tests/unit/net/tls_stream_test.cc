// Aim: an encrypted stream keeps every promise of base/stream.h. Method: as for plain sockets, against
// OpenSSL on a thread of its own: bytes both ways, every order of endings, and destruction in every event.
#include "net/tls_stream.h"

#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <openssl/types.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "unit/net/support.h"
#include "unit/net/tls_fixture.h"
#include "unit/net/tls_server.h"

namespace sluice::net {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

struct TlsStreamTest : TlsTest {
  std::unique_ptr<TlsServer> server;
  std::unique_ptr<ByteStream> stream;
  Recorder recorder;

  void serve(std::function<void(SSL*)> talk) {
    server =
        std::make_unique<TlsServer>(TlsServerOptions{.certificate = server_certificate()}, std::move(talk));
    stream = connected(*server);
    ASSERT_NE(stream, nullptr);
  }
  void start() { stream->start(recorder); }
  [[nodiscard]] bool closed() {
    return run_until(loop, [this] { return !recorder.closed.empty(); });
  }
};

TEST_F(TlsStreamTest, CarriesAMegabyteBothWaysInChunksOfAnySize) {
  serve(echo);
  start();
  const std::string all = pattern(kMegabyte);
  std::minstd_rand random(7);
  std::size_t written = 0;
  int pauses = 0;
  recorder.bytes_hook = [&] {
    if (random() % 8 != 0) return;
    ++pauses;
    stream->pause();
    loop.defer([&] { stream->resume(); });
  };
  const std::function<void()> write_some = [&] {
    const std::size_t size = std::min<std::size_t>(random() % 40'000 + 1, all.size() - written);
    recorder.inside_a_call = true;
    stream->write(std::string_view(all).substr(written, size));
    recorder.inside_a_call = false;
    written += size;
    if (written < all.size()) loop.defer(write_some);
  };
  write_some();
  ASSERT_TRUE(run_until(loop, [&] { return recorder.bytes.size() == all.size(); }));
  EXPECT_EQ(recorder.bytes, all);
  EXPECT_EQ(recorder.calls_inside, 0);
  EXPECT_GT(pauses, 0);
  EXPECT_EQ(stream->unsent(), 0U);
  stream->finish();
  ASSERT_TRUE(closed());
  EXPECT_EQ(recorder.closed[0], "finished");
  EXPECT_EQ(stream->peer(), "127.0.0.1:" + std::to_string(server->port()));
}

TEST_F(TlsStreamTest, WhatComesBeforeTheStartIsNotLost) {
  serve([](SSL* ssl) {
    send_all(ssl, "early");
    receive(ssl);
  });
  run_turns(loop, 20);
  EXPECT_EQ(recorder.bytes, "");
  recorder.inside_a_call = true;
  start();
  recorder.inside_a_call = false;
  ASSERT_TRUE(run_until(loop, [this] { return recorder.bytes == "early"; }));
  EXPECT_EQ(recorder.calls_inside, 0);
  stream->close();
  ASSERT_TRUE(closed());
}

TEST_F(TlsStreamTest, IsQuietWhilePaused) {
  std::promise<void> may_send;
  serve([&](SSL* ssl) {
    may_send.get_future().wait();
    send_all(ssl, pattern(100'000));
    receive(ssl);
  });
  stream->pause();  // before the start
  start();
  may_send.set_value();
  run_turns(loop, 20);
  EXPECT_EQ(recorder.bytes, "");
  // Records that came in one piece are held back one by one.
  recorder.bytes_hook = [this] { stream->pause(); };
  for (std::size_t before = 0; recorder.bytes.size() < 100'000; before = recorder.bytes.size()) {
    recorder.inside_a_call = true;
    stream->resume();
    recorder.inside_a_call = false;
    ASSERT_TRUE(run_until(loop, [&] { return recorder.bytes.size() > before; }));
    EXPECT_LE(recorder.bytes.size() - before, std::size_t{16} * 1024);
    run_turns(loop, 2);
  }
  EXPECT_EQ(recorder.bytes, pattern(100'000));
  EXPECT_EQ(recorder.calls_inside, 0);
  stream->close();
  ASSERT_TRUE(closed());
}

TEST_F(TlsStreamTest, TellsWhenWhatHadToWaitIsGone) {
  std::promise<void> may_read;
  std::string received;
  serve([&](SSL* ssl) {
    may_read.get_future().wait();
    received = receive(ssl);
  });
  start();
  const std::string much = pattern(16 * kMegabyte);  // more than the buffers of the system take
  recorder.inside_a_call = true;
  stream->write(much);
  recorder.inside_a_call = false;
  EXPECT_GT(stream->unsent(), 0U);
  run_turns(loop, 5);
  EXPECT_EQ(recorder.drains, 0);
  may_read.set_value();
  ASSERT_TRUE(run_until(loop, [this] { return recorder.drains > 0; }));
  EXPECT_EQ(recorder.drains, 1);
  EXPECT_EQ(stream->unsent(), 0U);
  EXPECT_EQ(recorder.calls_inside, 0);
  stream->finish();
  ASSERT_TRUE(closed());
  server->join();
  EXPECT_EQ(received, much);
}

TEST_F(TlsStreamTest, FinishSendsTheRestAndSaysGoodbye) {
  std::string received;
  int shutdown = 0;
  serve([&](SSL* ssl) {
    received = receive(ssl);
    shutdown = SSL_get_shutdown(ssl);
  });
  start();
  stream->write(pattern(4 * kMegabyte));
  stream->finish();
  stream->write("too late");
  ASSERT_TRUE(closed());
  EXPECT_EQ(recorder.closed.size(), 1U);
  server->join();
  EXPECT_EQ(received, pattern(4 * kMegabyte));
  EXPECT_EQ(shutdown & SSL_RECEIVED_SHUTDOWN, SSL_RECEIVED_SHUTDOWN);
}

TEST_F(TlsStreamTest, MayWriteOnAfterThePeersEnd) {
  std::string received;
  serve([&](SSL* ssl) {
    send_all(ssl, "last words");
    SSL_shutdown(ssl);
    received = receive(ssl);
  });
  start();
  ASSERT_TRUE(run_until(loop, [this] { return recorder.ends > 0; }));
  EXPECT_EQ(recorder.bytes, "last words");
  EXPECT_TRUE(recorder.closed.empty());
  stream->write("answer");
  stream->finish();
  ASSERT_TRUE(closed());
  server->join();
  EXPECT_EQ(received, "answer");
  EXPECT_EQ(recorder.ends, 1);
}

TEST_F(TlsStreamTest, AnEndWithoutGoodbyeIsAnError) {
  serve([](SSL* ssl) {
    receive(ssl, 2);
    send_all(ssl, "half of wh");
  });
  start();
  stream->write("go");
  ASSERT_TRUE(closed());
  EXPECT_EQ(recorder.bytes, "half of wh");
  EXPECT_EQ(recorder.ends, 0);
  EXPECT_EQ(recorder.closed[0], "redis:6379 ended the connection without TLS' goodbye");
}

TEST_F(TlsStreamTest, BytesThatWereForgedAreAnError) {
  serve([](SSL* ssl) {
    receive(ssl, 2);
    const std::string_view record = "\x17\x03\x03\x00\x20 thirty-two bytes of an attacker"sv;
    [[maybe_unused]] const auto sent = ::send(SSL_get_fd(ssl), record.data(), record.size(), 0);
    receive(ssl);
  });
  start();
  stream->write("go");
  ASSERT_TRUE(closed());
  EXPECT_EQ(recorder.bytes, "");
  EXPECT_TRUE(recorder.closed[0].starts_with("TLS with redis:6379 failed: ")) << recorder.closed[0];
}

TEST_F(TlsStreamTest, CloseDropsAndIsToldFromTheLoop) {
  serve(echo);
  start();
  recorder.inside_a_call = true;
  stream->write(pattern(kMegabyte));
  stream->close();
  stream->close();
  recorder.inside_a_call = false;
  EXPECT_EQ(stream->unsent(), 0U);
  ASSERT_TRUE(closed());
  run_turns(loop, 3);
  EXPECT_EQ(recorder.closed, std::vector<std::string>{"closed"});
  EXPECT_EQ(recorder.calls_inside, 0);
}

TEST_F(TlsStreamTest, ClosedBeforeTheStartIsToldAfterIt) {
  serve(echo);
  stream->close();
  run_turns(loop, 3);
  recorder.inside_a_call = true;
  start();
  recorder.inside_a_call = false;
  ASSERT_TRUE(closed());
  EXPECT_EQ(recorder.closed[0], "closed");
  EXPECT_EQ(recorder.calls_inside, 0);
}

TEST_F(TlsStreamTest, MayBeDestroyedInEveryEvent) {
  const auto three_records = [](SSL* ssl) {
    for (const char* bytes : {"one", "two", "three"}) send_all(ssl, bytes);
    receive(ssl);
  };
  serve(three_records);
  recorder.bytes_hook = [this] { stream.reset(); };
  start();
  ASSERT_TRUE(run_until(loop, [this] { return stream == nullptr; }));
  EXPECT_EQ(recorder.bytes, "one");

  recorder = Recorder{};
  serve([](SSL* ssl) { SSL_shutdown(ssl); });
  recorder.end_hook = [this] { stream.reset(); };
  start();
  ASSERT_TRUE(run_until(loop, [this] { return stream == nullptr; }));

  recorder = Recorder{};
  serve([](SSL* ssl) { receive(ssl); });
  recorder.drained_hook = [this] { stream.reset(); };
  start();
  stream->write(pattern(16 * kMegabyte));
  ASSERT_TRUE(run_until(loop, [this] { return stream == nullptr; }));

  recorder = Recorder{};
  serve([](SSL*) {});
  recorder.closed_hook = [this] { stream.reset(); };
  start();
  ASSERT_TRUE(run_until(loop, [this] { return stream == nullptr; }));
  run_turns(loop, 3);
  EXPECT_EQ(recorder.closed.size(), 1U);
}

}  // namespace
}  // namespace sluice::net
