// Aim: a simulated stream keeps the contract of ByteStream and behaves as a TCP connection of the real loop.
// Method: two processes on virtual time whose streams write down what they are told.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stream.h"
#include "sim/core/draw.h"
#include "sim/network/network.h"
#include "sim/network/world_for_test.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

std::string text_of(std::size_t size) {
  std::string text;
  Draw draw(9);
  while (text.size() < size) text += static_cast<char>(draw.below(256));
  return text;
}

TEST(SimStream, BytesArriveInOrderHoweverTheyAreCut) {
  for (const double split_share : {0.0, 0.5, 1.0}) {
    World world(3, {.split_share = split_share});
    world.connect();
    const std::string sent = text_of(20'000);
    Draw draw(4);
    for (std::size_t at = 0; at < sent.size();) {
      const std::string_view part = std::string_view(sent).substr(at, draw.below(300) + 1);
      world.here().stream->write(part);
      at += part.size();
      world.run(draw.log_between(1us, 5ms));
    }
    world.run(1s);
    EXPECT_EQ(world.there().received, sent);
    EXPECT_EQ(world.network.counters().splits > 0, split_share > 0);
  }
}

TEST(SimStream, AWriteArrivesInPieces) {
  World world(1, {.split_share = 1.0});
  world.connect();
  world.here().stream->write("x");
  world.run(1s);
  EXPECT_EQ(world.there().pieces, std::vector<std::size_t>{1});  // cannot be cut
  world.here().stream->write("0123456789");
  world.run(1s);
  EXPECT_GE(world.there().pieces.size(), 3U);
  EXPECT_EQ(world.there().received, "x0123456789");
}

TEST(SimStream, CallsNothingFromInsideOfACall) {
  World world;
  world.connect();
  world.there().stream->write("x");
  world.here().stream->pause();
  world.run(1s);
  world.here().stream->resume();
  world.here().stream->close();
  EXPECT_EQ(world.here().received, "");
  EXPECT_EQ(world.here().log, "");
  world.run(1s);
  EXPECT_EQ(world.here().received, "");
  EXPECT_EQ(world.here().log, "closed: closed\n");
}

TEST(SimStream, PauseKeepsBytesAndTheEndBack) {
  World world;
  world.connect();
  world.here().stream->pause();
  world.there().stream->write("hello");
  world.there().stream->close();
  world.run(1s);
  EXPECT_EQ(world.here().received, "");
  world.here().stream->resume();
  world.run(1s);
  EXPECT_EQ(world.here().received, "hello");
  EXPECT_EQ(world.here().log, "end\n");
}

TEST(SimStream, APauseInTheEventHoldsTheRest) {
  World world(1, {.split_share = 1.0});
  world.connect();
  world.here().on_event = [&] { world.here().stream->pause(); };
  world.there().stream->write("0123456789");
  world.run(1s);
  EXPECT_EQ(world.here().pieces.size(), 1U);
  EXPECT_LT(world.here().received.size(), 10U);
  world.here().on_event = {};
  world.here().stream->resume();
  world.run(1s);
  EXPECT_EQ(world.here().received, "0123456789");
}

TEST(SimStream, EndAloneClosesNothing) {
  // The peer's FIN is an on_end; who then writes to it learns by a reset, and only if it writes again.
  World world;
  world.connect();
  world.there().stream->finish();
  world.run(1s);
  EXPECT_EQ(world.there().log, "closed: finished\n");
  EXPECT_EQ(world.here().log, "end\n");
  world.here().stream->write("x");
  world.run(1s);
  EXPECT_EQ(world.here().log, "end\n");
  world.here().stream->write("y");
  world.run(1s);
  EXPECT_EQ(world.here().log, "end\nclosed: write: connection reset by peer\n");
}

TEST(SimStream, UnreadBytesMakeACloseAReset) {
  World world;
  world.connect();
  world.there().stream->pause();
  world.here().stream->write("unread");
  world.run(1s);
  world.there().stream->close();
  world.run(1s);
  EXPECT_EQ(world.here().log, "closed: read: connection reset by peer\n");
}

TEST(SimStream, BytesToAStreamThatWasDestroyedAreAnsweredByAReset) {
  World world;
  world.connect();
  world.server.accepted.clear();
  world.here().stream->write("x");  // crosses the FIN
  world.run(1s);
  EXPECT_EQ(world.here().log, "end\n");
  world.here().stream->write("x");
  world.run(1s);
  EXPECT_EQ(world.here().log, "end\nclosed: write: connection reset by peer\n");
}

TEST(SimStream, TheDeathOfAProcessEndsItsConnections) {
  World world;
  world.connect();
  world.there().stream->write("last words");
  world.server.die();
  world.run(1s);
  EXPECT_EQ(world.here().received, "last words");
  EXPECT_EQ(world.here().log, "end\n");
}

TEST(SimStream, WhatCannotBeTakenIsUnsentUntilThePeerReads) {
  World world(1, {.send_buffer = 1000});
  world.connect();
  world.there().stream->pause();
  world.here().stream->write(text_of(900));
  EXPECT_EQ(world.here().stream->unsent(), 0U);
  world.here().stream->write(text_of(2200));
  EXPECT_EQ(world.here().stream->unsent(), 2100U);
  world.run(1s);
  EXPECT_EQ(world.here().log, "");
  world.there().stream->resume();
  world.run(1s);
  EXPECT_EQ(world.here().stream->unsent(), 0U);
  EXPECT_EQ(world.here().log, "drained\n");
  EXPECT_EQ(world.there().received, text_of(900) + text_of(2200));
}

TEST(SimStream, AWriteThatIsTakenWholeIsNotReported) {
  World world;
  world.connect();
  world.here().stream->write("x");
  world.run(1s);
  EXPECT_EQ(world.here().log, "");
}

TEST(SimStream, FinishSendsWhatIsQueuedAndReadsNoMore) {
  World world(1, {.send_buffer = 100});
  world.connect();
  world.here().stream->write(text_of(5000));
  world.here().stream->finish();
  world.here().stream->write("too late");
  world.there().stream->write("unheard");
  EXPECT_EQ(world.here().log, "");
  world.run(5s);
  EXPECT_EQ(world.here().log, "closed: finished\n");
  EXPECT_EQ(world.here().received, "");
  EXPECT_EQ(world.there().received, text_of(5000));
  EXPECT_EQ(world.there().log, "end\n");
}

TEST(SimStream, CloseDropsWhatIsQueued) {
  World world(1, {.send_buffer = 100});
  world.connect();
  world.here().stream->write(text_of(5000));
  world.here().stream->close();
  EXPECT_EQ(world.here().stream->unsent(), 0U);
  world.run(5s);
  EXPECT_EQ(world.there().received, text_of(100));
  EXPECT_EQ(world.there().log, "end\n");
}

TEST(SimStream, MayBeDestroyedInAnyOfItsEvents) {
  enum class Event { bytes, end, drained, closed, reset };
  for (const Event event : {Event::bytes, Event::end, Event::drained, Event::closed, Event::reset}) {
    World world(1, {.send_buffer = 100});
    world.connect();
    bool told = false;
    world.here().on_event = [&] {
      told = true;
      const auto on_event = std::move(world.here().on_event);  // lives for the length of this call
      world.here().stream.reset();
    };
    if (event == Event::bytes) world.there().stream->write("bytes");
    if (event == Event::end) world.there().stream->close();
    if (event == Event::drained) world.here().stream->write(text_of(300));
    if (event == Event::closed) world.here().stream->close();
    if (event == Event::reset) world.network.reset(world.a, world.b);
    world.run(5s);
    EXPECT_TRUE(told);
    const std::string after = world.here().log + world.here().received;
    world.there().stream->write("more");
    world.run(5s);
    EXPECT_EQ(world.here().log + world.here().received, after);
  }
}

TEST(SimStream, AProcessMayDieInAnEventOfItsStream) {
  World world;
  world.connect();
  world.there().stream->write("bytes");
  // Not in the event itself, whose objects the process owns, but in the same turn.
  world.here().on_event = [&] { world.client.loop->defer([&] { world.client.die(); }); };
  world.run(5s);
  EXPECT_EQ(world.client.loop, nullptr);
  EXPECT_EQ(world.there().log, "end\n");
}

TEST(SimStream, AStoppedProcessGetsItsPiecesWhenItWakesUp) {
  World world(1, {.send_buffer = 1000});
  world.connect();
  world.server.loop->suspend(world.timeline.now() + 5s, true);
  world.here().stream->write(text_of(1500));
  world.run(4s);
  EXPECT_EQ(world.there().received, "");
  EXPECT_EQ(world.here().stream->unsent(), 500U);
  world.run(2s);
  EXPECT_EQ(world.there().received, text_of(1500));
  EXPECT_EQ(world.here().log, "drained\n");
}

TEST(SimStream, SaysWhoThePeerIs) {
  World world;
  world.connect();
  EXPECT_EQ(world.here().stream->peer(), "b:6379");
  EXPECT_TRUE(world.there().stream->peer().starts_with("a:"));
}

}  // namespace
}  // namespace sluice::sim
