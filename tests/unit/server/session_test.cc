// Aim: a session answers in order, in one write a turn, and holds a bounded amount whatever the client and
// the store do. Method: a fake stream whose client reads as the test says, and a store that answers when
// told.
#include "server/session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "unit/server/fixture.h"

namespace sluice::server {
namespace {

using namespace std::chrono_literals;
using test::command;
using test::FakeWire;
using test::ServerRig;

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Session, APipelineIsAnsweredInOneWrite) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, repeated(command({"PING"}), 100));
  EXPECT_EQ(wire.received, repeated("+PONG\r\n", 100));
  EXPECT_EQ(wire.writes, 1U);
}

TEST(Session, CommandsMayComeInAnyPieces) {
  const std::string bytes = command({"ECHO", "a"}) + "PING\r\n" + command({"ECHO", std::string(1000, 'b')});
  const std::string answers = "$1\r\na\r\n+PONG\r\n$1000\r\n" + std::string(1000, 'b') + "\r\n";
  for (std::size_t split = 1; split < bytes.size(); ++split) {
    ServerRig rig;
    FakeWire& wire = rig.connect();
    rig.send(wire, bytes.substr(0, split));
    rig.send(wire, bytes.substr(split));
    ASSERT_EQ(wire.received, answers) << split;
  }
}

TEST(Session, AnswersKeepTheOrderOfTheRequests) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire, command({"CHECK", "user=1"}) + command({"ECHO", "x"}) + command({"CHECK", "none=1"}) +
                     command({"RESET", "user=2"}) + command({"PING"}));
  EXPECT_EQ(wire.received, "");
  rig.slow.answer(2);
  rig.slow.answer(1);
  rig.loop.turn();
  EXPECT_EQ(wire.received, "") << "the first is still out";
  rig.slow.answer(0);
  rig.loop.turn();
  EXPECT_EQ(wire.received,
            "*6\r\n:1\r\n:5\r\n:4\r\n:0\r\n:720000\r\n$8\r\nper-user\r\n$1\r\nx\r\n"
            "*6\r\n:0\r\n:0\r\n:0\r\n:-1\r\n:0\r\n$6\r\nnobody\r\n:1\r\n+PONG\r\n");
  EXPECT_EQ(wire.writes, 1U);
}

TEST(Session, ReadingStopsWithTooManyAnswersOutstandingAndGoesOn) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire, repeated(command({"PEEK", "user=1"}), SessionLimits::kMaxWaiting + 10));
  EXPECT_EQ(rig.slow.held(), SessionLimits::kMaxWaiting);
  EXPECT_TRUE(wire.paused);
  for (int i = 0; i < 5; ++i) rig.slow.answer();
  rig.loop.turn();
  EXPECT_EQ(rig.slow.held(), SessionLimits::kMaxWaiting);
  rig.slow.answer_all();
  rig.loop.turn();
  rig.slow.answer_all();
  rig.loop.turn();
  EXPECT_FALSE(wire.paused);
  const std::string answer = "*6\r\n:1\r\n:5\r\n:5\r\n:0\r\n:0\r\n$8\r\nper-user\r\n";
  EXPECT_TRUE(wire.received == repeated(answer, SessionLimits::kMaxWaiting + 10));
}

TEST(Session, ReadingStopsWhileTheClientDoesNotRead) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  wire.window = 0;
  const std::string echo = command({"ECHO", std::string(50'000, 'x')});
  for (int i = 0; i < 20; ++i) rig.send(wire, echo);
  EXPECT_TRUE(wire.paused);
  EXPECT_LT(wire.queued.size(), SessionLimits::kMaxUnsent + 60'000);
  test::drain(wire);
  rig.loop.turn();
  EXPECT_FALSE(wire.paused);
  rig.send(wire, command({"PING"}));
  EXPECT_TRUE(wire.received.ends_with("+PONG\r\n"));
}

TEST(Session, OneReadFullOfCommandsDoesNotOutgrowTheBound) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  wire.window = 0;
  rig.send(wire, repeated(command({"COMMAND", "DOCS"}), 1000));
  EXPECT_LT(wire.queued.size(), 2 * SessionLimits::kMaxUnsent);
  const std::size_t one = rig.ask({"COMMAND", "DOCS"}).size();
  while (!wire.queued.empty()) {
    test::drain(wire, 100'000);
    rig.loop.turn();
  }
  EXPECT_EQ(wire.received.size(), 1000 * one) << "what was kept back was answered when there was room";
}

TEST(Session, AProtocolErrorIsTheLastAnswer) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, command({"PING"}) + "*1\r\n!oops" + command({"PING"}));
  EXPECT_TRUE(wire.received.starts_with("+PONG\r\n-ERR Protocol error: "));
  EXPECT_TRUE(wire.received.ends_with("\r\n"));
  EXPECT_EQ(wire.received.find("PONG", 6), std::string::npos);
  EXPECT_TRUE(wire.closed);
  EXPECT_EQ(rig.server.connections(), 0U);
}

TEST(Session, QuitAnswersWhatCameBefore) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire, command({"PEEK", "none=1"}) + command({"QUIT"}) + command({"PING"}));
  EXPECT_FALSE(wire.closed);
  rig.slow.answer_all();
  rig.loop.turn();
  EXPECT_EQ(wire.received, "*6\r\n:0\r\n:0\r\n:0\r\n:-1\r\n:0\r\n$6\r\nnobody\r\n+OK\r\n");
  EXPECT_TRUE(wire.closed);
}

TEST(Session, HalfClosedConnectionsGetTheirAnswers) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire, repeated(command({"PEEK", "none=1"}), SessionLimits::kMaxWaiting + 5) + "*1\r\n$4\r\nPI");
  wire.events->on_end();
  for (int i = 0; i < 3; ++i) {
    rig.slow.answer_all();
    rig.loop.turn();
  }
  const std::string answer = "*6\r\n:0\r\n:0\r\n:0\r\n:-1\r\n:0\r\n$6\r\nnobody\r\n";
  EXPECT_TRUE(wire.received == repeated(answer, SessionLimits::kMaxWaiting + 5));
  EXPECT_TRUE(wire.closed);
}

TEST(Session, AClosedSessionIsForgottenByTheEngine) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire, command({"CHECK", "user=1"}));
  wire.events->on_closed("reset");
  rig.loop.turn();
  EXPECT_EQ(rig.server.connections(), 0U);
  rig.slow.answer_all();
  rig.loop.advance(1s);
  EXPECT_EQ(rig.engine.waiting(), 0U);
}

}  // namespace
}  // namespace sluice::server
