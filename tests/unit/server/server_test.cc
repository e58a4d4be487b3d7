// Aim: the server bounds its connections in number and time, and drains. Method: fake streams on virtual
// time.
#include "server/server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "unit/server/fixture.h"

namespace sluice::server {
namespace {

using namespace std::chrono_literals;
using test::command;
using test::FakeWire;
using test::ServerRig;

TEST(Server, OneConnectionTooManyIsToldAndClosed) {
  ServerRig rig({.max_connections = 2});
  FakeWire& first = rig.connect();
  static_cast<void>(rig.connect());
  FakeWire& third = rig.connect();
  EXPECT_EQ(third.received, "-ERR max number of clients reached\r\n");
  EXPECT_TRUE(third.closed);
  EXPECT_EQ(rig.server.counters().refused, 1U);
  first.events->on_closed("");
  rig.loop.turn();
  rig.send(rig.connect(), command({"PING"}));
  EXPECT_EQ(rig.wires.back().received, "+PONG\r\n");
}

TEST(Server, HalfACommandTimesOutAndAnIdleConnectionDoesNot) {
  ServerRig rig({.request_timeout = 1s});
  FakeWire& idle = rig.connect();
  FakeWire& half = rig.connect();
  rig.send(half, "*1\r\n$4\r\nPI");
  rig.loop.advance(900ms);
  EXPECT_FALSE(half.closed);
  rig.loop.advance(400ms);
  EXPECT_EQ(half.received, "-ERR the request did not arrive in time; the connection is closed\r\n");
  EXPECT_TRUE(half.closed);
  rig.loop.advance(1h);
  EXPECT_FALSE(idle.closed);
  EXPECT_EQ(rig.server.counters().timed_out, 1U);
}

TEST(Server, ADripOfBytesDoesNotExtendTheTime) {
  ServerRig rig({.request_timeout = 1s});
  FakeWire& wire = rig.connect();
  const std::string bytes = command({"ECHO", std::string(100, 'x')});
  for (std::size_t i = 0; i < 20 && !wire.closed; ++i) {
    rig.send(wire, bytes.substr(i, 1));
    rig.loop.advance(100ms);
  }
  EXPECT_TRUE(wire.closed);
}

TEST(Server, AClientThatGetsOnIsNotSlow) {
  ServerRig rig({.request_timeout = 1s});
  FakeWire& wire = rig.connect();
  const std::string ping = command({"PING"});
  rig.send(wire, ping.substr(0, 5));
  for (int i = 0; i < 100; ++i) {  // every read ends in the middle of a command
    rig.loop.advance(100ms);
    rig.send(wire, ping.substr(5) + ping.substr(0, 5));
  }
  EXPECT_FALSE(wire.closed);
  EXPECT_EQ(wire.received.size(), 100 * 7U);
}

TEST(Server, AClientThatDoesNotReadItsAnswersIsClosed) {
  ServerRig rig({.request_timeout = 1s});
  FakeWire& wire = rig.connect();
  wire.window = 0;
  for (int i = 0; i < 10; ++i) rig.send(wire, command({"ECHO", std::string(50'000, 'x')}));
  rig.loop.advance(2s);
  EXPECT_TRUE(wire.closed);
}

TEST(Server, DrainsQuietAndWaitingSessions) {
  ServerRig rig({}, true);
  static_cast<void>(rig.connect());
  FakeWire& waiting = rig.connect();
  rig.send(waiting, command({"PEEK", "none=1"}));
  bool drained = false;
  rig.server.drain([&] { drained = true; });
  FakeWire& busy = waiting;
  rig.loop.advance(10ms);
  EXPECT_FALSE(busy.closed);
  rig.slow.answer_all();
  rig.loop.advance(100ms);
  EXPECT_EQ(waiting.received, "*6\r\n:0\r\n:0\r\n:0\r\n:-1\r\n:0\r\n$6\r\nnobody\r\n");
  EXPECT_TRUE(drained);
  EXPECT_EQ(rig.server.connections(), 0U);
}

TEST(Server, DrainingDoesNotWaitForeverForABusyClient) {
  ServerRig rig;
  FakeWire& busy = rig.connect();
  bool drained = false;
  rig.server.drain([&] { drained = true; });
  for (int i = 0; i < 100 && !drained; ++i) {
    rig.send(busy, command({"PING"}));
    rig.loop.advance(10ms);
  }
  EXPECT_TRUE(drained);
  EXPECT_GE(busy.received.size(), 7U * 40);
}

TEST(Server, DrainingNothingIsDoneAtOnce) {
  ServerRig rig;
  bool drained = false;
  rig.server.drain([&] { drained = true; });
  EXPECT_TRUE(drained);
}

TEST(Server, InfoCounts) {
  ServerRig rig;
  static_cast<void>(rig.ask({"CHECK", "user=1"}));
  static_cast<void>(rig.ask({"CHECK", "none=1"}));
  const std::string info = rig.ask({"INFO"});
  EXPECT_NE(info.find("sluice_version:0.1.0\r\n"), std::string::npos);
  EXPECT_NE(info.find("connected_clients:3\r\n"), std::string::npos);
  EXPECT_NE(info.find("checks_allowed:1\r\n"), std::string::npos);
  EXPECT_NE(info.find("checks_denied:1\r\n"), std::string::npos);
}

}  // namespace
}  // namespace sluice::server
