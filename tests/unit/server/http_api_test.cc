// Aim: every endpoint answers as the README says, on a connection that goes on. Method: whole requests over a
// fake stream, with stores that answer at once and later.
#include "server/http_api.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>

#include "unit/server/fixture.h"

namespace sluice::server {
namespace {

namespace json = boost::json;
using test::FakeWire;
using test::ServerRig;

std::string get(std::string_view target, std::string_view headers = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: sluice\r\n" + std::string(headers) + "\r\n";
}

std::string post(std::string_view target, std::string_view body) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: sluice\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

struct Reply {
  int status = 0;
  std::string head;
  std::string body;
  [[nodiscard]] json::value parsed() const { return json::parse(body); }
  [[nodiscard]] bool has(std::string_view header) const { return head.find(header) != std::string::npos; }
};

/// The first response in `bytes`, which loses it.
Reply take_reply(std::string& bytes) {
  Reply reply;
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string::npos) return reply;
  reply.head = bytes.substr(0, end + 2);
  reply.status = std::stoi(reply.head.substr(9, 3));
  const std::size_t length = reply.head.find("Content-Length: ");
  const std::size_t size = length == std::string::npos ? 0 : std::stoul(reply.head.substr(length + 16));
  reply.body = bytes.substr(end + 4, size);
  bytes.erase(0, end + 4 + reply.body.size());
  return reply;
}

Reply ask(ServerRig& rig, const std::string& request) {
  FakeWire& wire = rig.connect();
  rig.send(wire, request);
  return take_reply(wire.received);
}

TEST(HttpApi, CheckByQueryAndByBody) {
  ServerRig rig;
  const Reply first = ask(rig, get("/v1/check?user=1"));
  EXPECT_EQ(first.status, 200);
  EXPECT_TRUE(first.has("Content-Type: application/json\r\n"));
  EXPECT_EQ(
      first.parsed(),
      json::parse(
          R"({"allowed":true,"limit":5,"remaining":4,"retry_after_ms":0,"reset_after_ms":720000,"rule":"per-user",
                            "warning":false,"degraded":false,"rules":[{"allowed":true,"limit":5,"remaining":4,"retry_after_ms":0,
                            "reset_after_ms":720000,"rule":"per-user","warning":false,"degraded":false,"shadow":false}]})"));
  EXPECT_EQ(ask(rig, post("/v1/check", R"({"descriptors":{"user":"1"},"cost":4})")).parsed().at("remaining"),
            0);
  const Reply denied = ask(rig, get("/v1/check?user=1"));
  EXPECT_EQ(denied.status, 429);
  EXPECT_TRUE(denied.has("Content-Type: application/problem+json\r\n"));
  EXPECT_TRUE(denied.has("Retry-After: 720\r\n"));
  EXPECT_EQ(denied.parsed().at("violated-policies"), json::parse(R"(["per-user"])"));
  EXPECT_EQ(denied.parsed().at("retry_after_ms"), 720000);
  EXPECT_EQ(denied.parsed().at("type"), "https://iana.org/assignments/http-problem-types#quota-exceeded");
}

TEST(HttpApi, DenialsSayWhy) {
  ServerRig rig;
  const auto detail = [&](std::string_view target) {
    return std::string(ask(rig, get(target)).parsed().at("detail").as_string());
  };
  EXPECT_EQ(detail("/v1/check?user=1&cost=6"),
            "This request costs more than the limit of rule \"per-user\" can ever give; it can never pass.");
  EXPECT_EQ(detail("/v1/check?none=1"), "All requests are denied by rule \"nobody\".");
  static_cast<void>(ask(rig, get("/v1/check?user=1&cost=5")));
  EXPECT_EQ(detail("/v1/check?user=1"), "The limit of rule \"per-user\" is used up; retry in 720 s.");
}

TEST(HttpApi, ADenialForWantOfAnAnswerSaysSo) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire, get("/v1/check?user=1"));
  rig.loop.advance(std::chrono::milliseconds{20});
  const Reply reply = take_reply(wire.received);
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.parsed().at("detail"), "The counter of rule \"per-user\" is out of reach; retry in 1 s.");
}

TEST(HttpApi, PeekRefundReset) {
  ServerRig rig;
  static_cast<void>(ask(rig, get("/v1/check?user=1&cost=3")));
  EXPECT_EQ(ask(rig, get("/v1/peek?user=1")).parsed().at("remaining"), 2);
  EXPECT_EQ(ask(rig, get("/v1/peek?user=1&cost=3")).status, 429);
  EXPECT_EQ(ask(rig, post("/v1/refund?user=1&cost=1", "")).parsed().at("remaining"), 3);
  EXPECT_EQ(ask(rig, post("/v1/reset", R"({"descriptors":{"user":"1"}})")).body, R"({"reset":1})");
  EXPECT_EQ(ask(rig, get("/v1/peek?user=1")).parsed().at("remaining"), 5);
}

TEST(HttpApi, NoRuleIsAllowedWithoutHeaders) {
  ServerRig rig;
  const Reply reply = ask(rig, get("/v1/check?other=1"));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.parsed().at("limit"), -1);
  EXPECT_FALSE(reply.has("RateLimit"));
}

TEST(HttpApi, ABatchAnswersEachForItself) {
  ServerRig rig;
  const Reply reply = ask(
      rig, post("/v1/check", R"({"checks":[{"descriptors":{"user":"1"},"cost":5},{"descriptors":{"user":"1"}},
                                                               {"descriptors":{"user":"2"}}]})"));
  EXPECT_EQ(reply.status, 200);
  const json::value body = reply.parsed();
  const auto& results = body.at("results").as_array();
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].at("allowed"), true);
  EXPECT_EQ(results[1].at("allowed"), false);
  EXPECT_EQ(results[2].at("remaining"), 4);
  EXPECT_EQ(ask(rig, post("/v1/reset", R"({"checks":[{"descriptors":{"user":"1"}}]})")).status, 400);
}

TEST(HttpApi, FaultsHaveTheirStatusAndSayWhatIsWrong) {
  ServerRig rig;
  const auto detail = [](const Reply& reply) { return std::string(reply.parsed().at("detail").as_string()); };
  const Reply lost = ask(rig, get("/v1/chek?user=1"));
  EXPECT_EQ(lost.status, 404);
  EXPECT_EQ(detail(lost), "there is nothing at /v1/chek; did you mean \"/v1/check\"?");
  const Reply method = ask(rig, "DELETE /v1/check?user=1 HTTP/1.1\r\nHost: s\r\n\r\n");
  EXPECT_EQ(method.status, 405);
  EXPECT_TRUE(method.has("Allow: GET, HEAD, POST\r\n"));
  EXPECT_EQ(ask(rig, get("/v1/check")).status, 400);
  EXPECT_EQ(ask(rig, post("/v1/check", "{")).status, 400);
  EXPECT_EQ(ask(rig, post("/v1/check?user=1", R"({"descriptors":{"user":"1"}})")).status, 400);
  EXPECT_EQ(ask(rig, "POST /v1/check HTTP/1.1\r\nHost: s\r\nContent-Length: 999999999\r\n\r\n").status, 413);
  EXPECT_EQ(ask(rig, get("/v1/check?user=1", "X: " + std::string(20000, 'x') + "\r\n")).status, 431);
  const Reply smuggled =
      ask(rig, "POST /v1/check HTTP/1.1\r\nHost: s\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx");
  EXPECT_EQ(smuggled.status, 400);
  EXPECT_TRUE(smuggled.has("Connection: close\r\n"));
}

TEST(HttpApi, ConnectionsGoOnOrCloseAsAsked) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, get("/v1/peek?user=1") + get("/v1/nothing") +
                     get("/v1/peek?user=1", "Connection: close\r\n") + get("/v1/peek?user=1"));
  EXPECT_EQ(take_reply(wire.received).status, 200);
  EXPECT_EQ(take_reply(wire.received).status, 404);
  EXPECT_EQ(take_reply(wire.received).status, 200);
  EXPECT_EQ(wire.received, "") << "nothing after close";
  EXPECT_TRUE(wire.closed);
  EXPECT_EQ(wire.writes, 1U);
}

TEST(HttpApi, HeadHasTheHeadersOnly) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  rig.send(wire, "HEAD /v1/peek?user=1 HTTP/1.1\r\nHost: s\r\n\r\n");
  EXPECT_TRUE(wire.received.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(wire.received.ends_with("\r\n\r\n"));
  EXPECT_NE(wire.received.find("Content-Length: 2"), std::string::npos);
}

TEST(HttpApi, ExpectContinueIsTold) {
  ServerRig rig;
  FakeWire& wire = rig.connect();
  const std::string body = R"({"descriptors":{"user":"1"}})";
  rig.send(wire, "POST /v1/check HTTP/1.1\r\nHost: s\r\nExpect: 100-continue\r\nContent-Length: " +
                     std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(wire.received, "HTTP/1.1 100 Continue\r\n\r\n");
  wire.received.clear();
  rig.send(wire, body);
  EXPECT_EQ(take_reply(wire.received).status, 200);
}

TEST(HttpApi, LateAnswersKeepTheOrder) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire, get("/v1/check?user=1") +
                     post("/v1/check",
                          R"({"checks":[{"descriptors":{"user":"2"}},{"descriptors":{"none":"1"}}]})") +
                     get("/v1/nothing") + get("/v1/authorize", "X-Forwarded-For: 203.0.113.5\r\n"));
  ASSERT_EQ(rig.slow.held(), 3U);
  rig.slow.answer(2);
  rig.slow.answer(1);
  rig.loop.turn();
  EXPECT_EQ(wire.received, "");
  rig.slow.answer(0);
  rig.loop.turn();
  EXPECT_EQ(take_reply(wire.received).parsed().at("remaining"), 4);
  EXPECT_EQ(take_reply(wire.received).parsed().at("results").as_array()[1].at("allowed"), false);
  EXPECT_EQ(take_reply(wire.received).status, 404);
  EXPECT_EQ(take_reply(wire.received).status, 200);
  EXPECT_EQ(wire.received, "");
}

TEST(HttpApi, AConnectionThatGoesAwayTakesItsBatchAlong) {
  ServerRig rig({}, true);
  FakeWire& wire = rig.connect();
  rig.send(wire,
           post("/v1/check", R"({"checks":[{"descriptors":{"user":"2"}},{"descriptors":{"user":"3"}}]})"));
  rig.slow.answer(0);
  wire.events->on_closed("reset");
  rig.loop.turn();
  rig.slow.answer_all();
  EXPECT_EQ(rig.engine.waiting(), 0U);
}

TEST(HttpApi, AuthorizeAnswersGateways) {
  HttpOptions options;
  options.identities = {{.descriptor = "user", .header = "X-User-Id"}};
  ServerRig rig({.http = *HttpRules::make(options)});
  for (int i = 0; i < 5; ++i) {
    const Reply allowed = ask(rig, get("/v1/authorize", "X-User-Id: 7\r\n"));
    EXPECT_EQ(allowed.status, 200);
    EXPECT_EQ(allowed.body, "");
    EXPECT_TRUE(allowed.has("RateLimit: "));
  }
  EXPECT_EQ(ask(rig, get("/v1/authorize", "X-User-Id: 7\r\n")).status, 429);
  const Reply denied = ask(rig, get("/v1/authorize", "X-User-Id: 7\r\nX-Sluice-Deny-Status: 403\r\n"));
  EXPECT_EQ(denied.status, 403);
  EXPECT_TRUE(denied.has("Retry-After: 720\r\n"));
  EXPECT_EQ(denied.parsed().at("status"), 403);
  EXPECT_EQ(ask(rig, "OPTIONS /v1/authorize* HTTP/1.1\r\nHost: s\r\nX-User-Id: 8\r\n\r\n").status, 200);
  EXPECT_EQ(ask(rig, get("/v1/authorized", "X-User-Id: 8\r\n")).status, 404);
  EXPECT_EQ(ask(rig, "DELETE /v1/authorize/any/path?x=1 HTTP/1.1\r\nHost: s\r\nX-User-Id: 8\r\n\r\n").status,
            200);
}

TEST(HttpApi, AHalfSentRequestTimesOutWith408) {
  ServerRig rig({.request_timeout = std::chrono::seconds{1}});
  FakeWire& wire = rig.connect();
  rig.send(wire, "GET /v1/check?user=1 HTTP/1.1\r\nHo");
  rig.loop.advance(std::chrono::seconds{2});
  EXPECT_EQ(take_reply(wire.received).status, 408);
  EXPECT_TRUE(wire.closed);
}

}  // namespace
}  // namespace sluice::server
