// Aim: every way in which a stream ends: told once, never from inside a call, safe to destroy in any
// callback.
//
// Method: each end is brought about by the client or the test; sanitizers see what outlives what.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/stream.h"
#include "net/uv_stream.h"
#include "unit/net/connection_fixture.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

class UvStreamEndingTest : public ConnectionTest {
 protected:
  /// A started stream with more queued than the sockets hold.
  [[nodiscard]] Client connect_and_fill() {
    Client client = connect();
    stream = take_stream();
    stream->start(events);
    stream->write(pattern(10 * kMebibyte));
    EXPECT_GT(stream->unsent(), 0U);
    return client;
  }

  Recorder events;
  std::unique_ptr<ByteStream> stream;
};
INSTANTIATE_TEST_SUITE_P(, UvStreamEndingTest, testing::Values(SocketKind::unix_domain, SocketKind::tcp),
                         kind_name);

TEST_P(UvStreamEndingTest, FinishSendsAllThatIsQueuedFirst) {
  Client client = connect_and_fill();
  // Bytes that nobody reads must not turn the close into a reset.
  EXPECT_EQ(client.send_some("never read"), 10U);
  stream->finish();
  stream->write("too late");
  stream->finish();
  std::string received;
  EXPECT_TRUE(run_until(loop, [&] {
    client.receive_some(received, kMebibyte);
    return client.saw_end() || client.error() != 0;
  }));
  EXPECT_EQ(client.error(), 0);
  EXPECT_TRUE(received == pattern(10 * kMebibyte));
  EXPECT_EQ(events.bytes, "");
  EXPECT_TRUE(run_until(loop, [&] { return !events.closed.empty(); }));
  EXPECT_EQ(events.closed, std::vector<std::string>{"finished"});
}

TEST_P(UvStreamEndingTest, CloseDropsWhatIsQueued) {
  Client client = connect_and_fill();
  stream->close();
  stream->close();
  EXPECT_EQ(stream->unsent(), 0U);
  stream->write("too late");
  stream->finish();
  stream->pause();
  stream->resume();
  EXPECT_EQ(stream->unsent(), 0U);
  std::string received;
  EXPECT_TRUE(run_until(loop, [&] {
    client.receive_some(received, kMebibyte);
    return client.saw_end() || client.error() != 0;
  }));
  EXPECT_LT(received.size(), 10 * kMebibyte);
  EXPECT_EQ(events.closed, std::vector<std::string>{"closed"});
}

TEST_P(UvStreamEndingTest, APeerThatGoesAwayInTheMiddleIsAnError) {
  Client client = connect_and_fill();
  client.close();
  EXPECT_TRUE(run_until(loop, [&] { return !events.closed.empty(); }));
  ASSERT_EQ(events.closed.size(), 1U);
  EXPECT_TRUE(events.closed[0].starts_with("write: ") || events.closed[0].starts_with("read: "))
      << events.closed[0];
  EXPECT_EQ(stream->unsent(), 0U);
  stream->write("too late");
  run_turns(loop, 3);
  EXPECT_EQ(events.closed.size(), 1U);
}

TEST_P(UvStreamEndingTest, AWriteToAPeerThatIsGoneFailsLaterNotInside) {
  Client client = connect();
  stream = take_stream();
  stream->pause();  // so that only writing can find out
  stream->start(events);
  client.close();
  EXPECT_TRUE(run_until(loop, [&] {
    events.inside_a_call = true;
    stream->write("hello?");
    events.inside_a_call = false;
    return !events.closed.empty();
  }));
  EXPECT_EQ(events.calls_inside, 0);
  EXPECT_TRUE(events.closed[0].starts_with("write: ")) << events.closed[0];
}

TEST_P(UvStreamEndingTest, NoCallComesFromInsideACall) {
  Client client = connect();
  EXPECT_EQ(client.send_some("bytes"), 5U);
  stream = take_stream();
  const auto call = [&](const std::function<void()>& into_stream) {
    events.inside_a_call = true;
    into_stream();
    events.inside_a_call = false;
  };
  call([&] { stream->start(events); });
  call([&] { stream->pause(); });
  call([&] { stream->resume(); });
  call([&] { stream->write(pattern(kMebibyte)); });
  EXPECT_TRUE(run_until(loop, [&] { return events.bytes == "bytes"; }));
  call([&] { stream->finish(); });
  call([&] { stream->close(); });
  EXPECT_TRUE(events.closed.empty());
  EXPECT_TRUE(run_until(loop, [&] { return !events.closed.empty(); }));
  EXPECT_EQ(events.calls_inside, 0);
}

TEST_P(UvStreamEndingTest, MayBeDestroyedInEachOfItsCallbacks) {
  const auto destroy = [&] { stream.reset(); };
  for (auto hook :
       {&Recorder::bytes_hook, &Recorder::end_hook, &Recorder::drained_hook, &Recorder::closed_hook}) {
    events = Recorder{};
    events.*hook = destroy;
    Client client = connect_and_fill();
    EXPECT_EQ(client.send_some("bytes"), 5U);
    std::string received;
    if (hook == &Recorder::end_hook) client.end_sending();
    EXPECT_TRUE(run_until(loop, [&] {
      if (hook == &Recorder::drained_hook) client.receive_some(received, kMebibyte);
      if (hook == &Recorder::closed_hook && events.bytes == "bytes") client.close();
      return stream == nullptr;
    }));
    const auto told = std::pair{events.bytes.size() + events.closed.size(), events.ends + events.drains};
    run_turns(loop, 3);
    EXPECT_EQ(told, (std::pair{events.bytes.size() + events.closed.size(), events.ends + events.drains}));
    EXPECT_EQ(events.closed.size(), hook == &Recorder::closed_hook ? 1U : 0U);
  }
}

TEST_P(UvStreamEndingTest, DestroyingAClosedStreamSilencesIt) {
  const Client client = connect_and_fill();
  stream->close();
  stream.reset();
  run_turns(loop, 3);
  EXPECT_TRUE(events.closed.empty());
}

TEST_P(UvStreamEndingTest, AStreamThatEndedBeforeItsStartSaysSoAfterIt) {
  Client client = connect();
  stream = take_stream();
  stream->close();
  run_turns(loop, 3);
  stream->start(events);
  EXPECT_TRUE(events.closed.empty());
  EXPECT_TRUE(run_until(loop, [&] { return !events.closed.empty(); }));
  EXPECT_EQ(events.closed, std::vector<std::string>{"closed"});
}

TEST_P(UvStreamEndingTest, WritesBeforeTheStartAreSent) {
  Client client = connect();
  stream = take_stream();
  stream->write("banner");
  std::string received;
  EXPECT_TRUE(run_until(loop, [&] {
    client.receive_some(received);
    return received == "banner";
  }));
}

TEST_P(UvStreamEndingTest, StreamsMayEndWithTheLoopStopped) {
  // Their handles are then freed by the loop's end; leaks would show under the address sanitizer.
  Client client = connect_and_fill();
  stream->close();
  stream.reset();
  Client unfinished = connect_and_fill();
  stream->finish();
  stream.reset();
  EXPECT_TRUE(events.closed.empty());
}

}  // namespace
}  // namespace sluice::net
