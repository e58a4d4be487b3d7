// Aim: an admin connection takes requests in any pieces, one a turn, and holds a bounded amount whatever the
// client does. Method: fake streams on virtual time; the client reads as the test says.
#include "server/admin/admin_session.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>

#include "unit/server/admin_fixture.h"

namespace sluice::server {
namespace {

using namespace std::chrono_literals;
using test::AdminRig;
using test::body_of;
using test::FakeWire;
using test::has;

const std::string kStats = "GET /v1/stats HTTP/1.1\r\nHost: a\r\n\r\n";

std::size_t answers(const FakeWire& wire) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = wire.received.find("HTTP/1.1 ", at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(AdminSession, RequestsMayComeInAnyPieces) {
  AdminRig whole;
  FakeWire& expected = whole.connect();
  whole.send(expected, kStats);
  for (std::size_t split = 1; split < kStats.size(); ++split) {
    AdminRig rig;
    FakeWire& wire = rig.connect();
    rig.send(wire, kStats.substr(0, split));
    EXPECT_EQ(wire.received, "");
    rig.send(wire, kStats.substr(split));
    ASSERT_EQ(wire.received, expected.received) << split;
    ASSERT_FALSE(wire.closed);
  }
}

TEST(AdminSession, PipelinedRequestsAreAnsweredInOrderOneATurn) {
  AdminRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, kStats + "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n" + kStats + kStats.substr(0, 10));
  EXPECT_EQ(answers(wire), 1U);
  EXPECT_TRUE(wire.paused) << "what came is kept, more is not read";
  rig.loop.advance(1ms);
  EXPECT_EQ(answers(wire), 2U);
  rig.loop.advance(1ms);
  EXPECT_EQ(answers(wire), 3U);
  EXPECT_LT(wire.received.find("{\"number\":1}"), wire.received.find(" 404 "));
  EXPECT_LT(wire.received.find(" 404 "), wire.received.find("{\"number\":2}"));
  rig.loop.advance(1ms);
  EXPECT_FALSE(wire.paused) << "only half a request is left";
  rig.send(wire, kStats.substr(10));
  EXPECT_TRUE(has(wire.received, "{\"number\":3}"));
}

TEST(AdminSession, TheNextRequestWaitsUntilTheAnswerIsTaken) {
  AdminRig rig;
  rig.source.padding = std::string(50'000, ' ');
  FakeWire& wire = rig.connect();
  wire.window = 100;
  std::string many;
  for (int i = 0; i < 500; ++i) many += kStats;
  rig.send(wire, many);
  rig.loop.advance(1s);
  EXPECT_EQ(rig.source.rendered, 1U);
  EXPECT_LT(wire.queued.size(), 51'000U);
  test::drain(wire);
  rig.loop.advance(1s);
  EXPECT_EQ(rig.source.rendered, 500U);
  EXPECT_EQ(answers(wire), 500U);
}

TEST(AdminSession, HttpOneZeroIsClosedAfterItsAnswer) {
  AdminRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, "GET /healthz HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(has(wire.received, "\r\nConnection: close\r\n"));
  EXPECT_EQ(body_of(wire.received), "ok\n");
  EXPECT_TRUE(wire.closed);
}

TEST(AdminSession, MalformedBytesAreRefusedAndTheConnectionEnds) {
  const std::string head = "GET / HTTP/1.1\r\n";
  for (const std::string& bytes :
       {std::string("*1\r\n$4\r\nPING\r\n"), std::string("\x16\x03\x01\x02\n\n"),
        "GET  / HTTP/1.1\r\nHost: a\r\n\r\n" + kStats, head + "\r\n", head + "Host: a\nX: b\r\n\r\n",
        std::string("GET / HTTP/3.0\r\n\r\n"), head + std::string(20'000, 'x'),
        head + "Host: a\r\nContent-Length: 9999999\r\n\r\n",
        std::string("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")}) {
    AdminRig rig;
    FakeWire& wire = rig.connect();
    rig.send(wire, bytes);
    EXPECT_EQ(answers(wire), 1U) << bytes;
    EXPECT_TRUE(wire.received.starts_with("HTTP/1.1 4") || wire.received.starts_with("HTTP/1.1 505"))
        << bytes;
    EXPECT_TRUE(has(wire.received, "application/problem+json")) << bytes;
    EXPECT_TRUE(wire.closed) << bytes;
    EXPECT_EQ(rig.source.rendered, 0U);
    EXPECT_EQ(rig.server.connections(), 0U);
  }
}

TEST(AdminSession, ABodyIsReadAndIgnored) {
  AdminRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(wire.received, "HTTP/1.1 100 Continue\r\n\r\n");
  rig.send(wire, "abc" + kStats);
  EXPECT_TRUE(has(wire.received, "HTTP/1.1 405 "));
  rig.loop.advance(1ms);
  EXPECT_TRUE(has(wire.received, "{\"number\":1}"));
}

TEST(AdminSession, AHalfClosedConnectionGetsItsAnswers) {
  AdminRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, kStats + kStats + "GET ");
  wire.events->on_end();
  rig.loop.advance(10ms);
  EXPECT_EQ(answers(wire), 2U);
  EXPECT_TRUE(wire.closed);
}

TEST(AdminSession, AClientThatLeavesIsForgotten) {
  AdminRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, kStats + kStats);
  wire.events->on_closed("reset");
  rig.loop.advance(1s);
  EXPECT_EQ(rig.server.connections(), 0U);
  EXPECT_EQ(rig.source.rendered, 1U);
}

}  // namespace
}  // namespace sluice::server
