// Aim: the admin server bounds its connections and streams in number and time, and renders one event for all
// who listen. Method: fake streams on virtual time.
#include "server/admin/admin_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
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

TEST(AdminServer, OneConnectionTooManyIsToldAndClosed) {
  AdminRig rig;
  for (int i = 0; i < 64; ++i) static_cast<void>(rig.connect());
  FakeWire& last = rig.connect();
  EXPECT_TRUE(last.received.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << last.received;
  EXPECT_TRUE(last.closed);
  EXPECT_EQ(rig.server.connections(), 64U);
  EXPECT_EQ(rig.server.counters().accepted, 64U);
  EXPECT_EQ(rig.server.counters().refused, 1U);
  rig.wires.front().events->on_closed("");
  rig.loop.turn();
  EXPECT_EQ(body_of(rig.ask("GET", "/healthz")), "ok\n");
}

TEST(AdminServer, AStreamBeginsWithThePresentStateAndGoesOnEachSecond) {
  AdminRig rig;
  FakeWire& wire = rig.listen();
  EXPECT_EQ(wire.received,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Content-Type-Options: nosniff\r\n"
            "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
            "retry: 2000\n\nevent: stats\ndata: {\"number\":1}\n\n");
  wire.received.clear();
  rig.loop.advance(999ms);
  EXPECT_EQ(wire.received, "");
  rig.loop.advance(1ms);
  EXPECT_EQ(wire.received, "event: stats\ndata: {\"number\":2}\n\n");
  rig.loop.advance(1h);
  EXPECT_EQ(rig.source.rendered, 3602U);
  EXPECT_FALSE(wire.closed) << "a stream is not idle";
}

TEST(AdminServer, AllStreamsShareOneRendering) {
  AdminRig rig;
  FakeWire& first = rig.listen();
  FakeWire& second = rig.listen();
  rig.loop.advance(5s);
  EXPECT_EQ(rig.source.rendered, 2U + 5U);
  const std::string event = "event: stats\ndata: {\"number\":7}\n\n";
  EXPECT_TRUE(first.received.ends_with(event));
  EXPECT_TRUE(second.received.ends_with(event));
}

TEST(AdminServer, NothingIsRenderedForNobody) {
  AdminRig rig;
  FakeWire& wire = rig.listen();
  wire.events->on_end();
  rig.loop.advance(1h);
  EXPECT_TRUE(wire.closed);
  EXPECT_EQ(rig.source.rendered, 1U);
  EXPECT_EQ(rig.loop.timers(), 0U);
}

TEST(AdminServer, OneStreamTooManyIsRefused) {
  AdminRig rig;
  for (int i = 0; i < 16; ++i) static_cast<void>(rig.listen());
  FakeWire& last = rig.listen();
  EXPECT_TRUE(last.received.starts_with("HTTP/1.1 503 ")) << last.received;
  EXPECT_TRUE(has(last.received, "application/problem+json"));
  EXPECT_TRUE(last.closed);
  EXPECT_EQ(rig.server.streams(), 16U);
  EXPECT_EQ(rig.source.rendered, 16U);
  rig.wires.front().events->on_closed("");
  rig.loop.turn();
  EXPECT_TRUE(rig.listen().received.starts_with("HTTP/1.1 200 "));
}

TEST(AdminServer, WhatAListenerSendsIsIgnored) {
  AdminRig rig;
  FakeWire& wire = rig.listen();
  const std::string before = wire.received;
  for (int i = 0; i < 10; ++i) rig.send(wire, kStats);
  EXPECT_EQ(wire.received, before);
  EXPECT_FALSE(wire.paused) << "its end must be seen";
}

TEST(AdminServer, AListenerThatDoesNotReadHoldsOneEventAndIsDropped) {
  AdminRig rig;
  FakeWire& slow = rig.listen();
  FakeWire& good = rig.listen();
  slow.window = 5;
  rig.loop.advance(9s);
  EXPECT_FALSE(slow.closed);
  EXPECT_LT(slow.queued.size(), 50U) << "later events are left out";
  rig.loop.advance(5s);
  EXPECT_TRUE(slow.closed);
  EXPECT_FALSE(good.closed);
  EXPECT_EQ(rig.server.counters().timed_out, 1U);
}

TEST(AdminServer, AListenerThatCatchesUpGoesOnWithTheNewest) {
  AdminRig rig;
  FakeWire& wire = rig.listen();
  wire.window = 0;
  rig.loop.advance(5s);
  test::drain(wire);
  rig.loop.advance(60s);
  EXPECT_FALSE(wire.closed);
  EXPECT_TRUE(has(wire.received, "{\"number\":2}\n\nevent: stats\ndata: {\"number\":7}\n\n"))
      << wire.received;
}

TEST(AdminServer, HalfARequestTimesOutHoweverItDrips) {
  AdminRig rig({.request_timeout = 1s});
  FakeWire& wire = rig.connect();
  for (std::size_t i = 0; i < 20 && !wire.closed; ++i) {
    rig.send(wire, kStats.substr(i, 1));
    rig.loop.advance(100ms);
  }
  EXPECT_TRUE(wire.closed);
  EXPECT_TRUE(wire.received.starts_with("HTTP/1.1 408 Request Timeout\r\n")) << wire.received;
  EXPECT_EQ(rig.server.counters().timed_out, 1U);
}

TEST(AdminServer, AClientThatGetsOnIsNotSlow) {
  AdminRig rig({.request_timeout = 1s});
  FakeWire& wire = rig.connect();
  rig.send(wire, kStats.substr(0, 5));
  for (int i = 0; i < 100; ++i) {  // every read ends in the middle of a request
    rig.loop.advance(100ms);
    rig.send(wire, kStats.substr(5) + kStats.substr(0, 5));
  }
  EXPECT_FALSE(wire.closed);
  EXPECT_EQ(rig.source.rendered, 100U);
}

TEST(AdminServer, AnswersThatAreNotTakenCloseTheConnection) {
  AdminRig rig;
  rig.source.padding = std::string(50'000, ' ');
  FakeWire& open = rig.connect();
  open.window = 100;
  rig.send(open, kStats);
  FakeWire& closing = rig.connect();
  closing.window = 100;
  rig.send(closing, "GET /v1/stats HTTP/1.0\r\n\r\n");
  rig.loop.advance(9s);
  EXPECT_FALSE(open.closed);
  EXPECT_FALSE(closing.closed);
  rig.loop.advance(4s);
  EXPECT_TRUE(open.closed);
  EXPECT_TRUE(closing.closed);
  EXPECT_EQ(rig.server.connections(), 0U);
}

TEST(AdminServer, AnIdleConnectionStaysBetweenScrapesAndNotForever) {
  AdminRig rig;
  FakeWire& wire = rig.connect();
  for (int i = 0; i < 10; ++i) {
    rig.send(wire, kStats);
    rig.loop.advance(60s);
  }
  EXPECT_FALSE(wire.closed);
  EXPECT_EQ(rig.source.rendered, 10U);
  rig.loop.advance(5min);
  EXPECT_TRUE(wire.closed);
  FakeWire& silent = rig.connect();
  rig.loop.advance(5min);
  EXPECT_TRUE(silent.closed);
  EXPECT_EQ(silent.received, "");
}

TEST(AdminServer, DrainingClosesAll) {
  AdminRig rig;
  FakeWire& idle = rig.connect();
  FakeWire& stream = rig.listen();
  rig.server.drain();
  rig.loop.turn();
  EXPECT_TRUE(idle.closed);
  EXPECT_TRUE(stream.closed);
  EXPECT_EQ(rig.server.connections(), 0U);
  rig.loop.advance(1min);
  EXPECT_EQ(rig.loop.timers(), 0U);
}

TEST(AdminServer, MayGoWithItsConnectionsOpen) {
  AdminRig rig;
  {
    AdminServer server(rig.loop, rig.source, {});
    rig.wires.emplace_back();
    server.on_connection(std::make_unique<test::FakeStream>(rig.loop, rig.wires.back()));
    rig.send(rig.wires.back(), kStats + kStats);
  }
  EXPECT_TRUE(rig.wires.back().closed);
  EXPECT_EQ(rig.loop.timers(), 0U);
}

}  // namespace
}  // namespace sluice::server
