// Aim: each admin endpoint answers what it should, and refuses the rest in words. Method: whole requests over
// fake streams, and a source that notes what it was asked.
#include "server/admin/admin_api.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "server/admin/admin_source.h"
#include "server/admin/page.h"
#include "unit/server/admin_fixture.h"

namespace sluice::server {
namespace {

using test::AdminRig;
using test::body_of;
using test::has;

constexpr std::string_view kEndpoints[] = {"/", "/metrics", "/healthz", "/readyz", "/v1/stats", "/v1/top"};

TEST(AdminApi, MetricsComeInTheFormatOfTheClient) {
  AdminRig rig;
  const std::string text = rig.ask("GET", "/metrics");
  EXPECT_TRUE(has(text, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n")) << text;
  EXPECT_EQ(body_of(text), "a_metric 1\n");
  const std::string open =
      rig.ask("GET", "/metrics", "Accept: application/openmetrics-text;version=1.0.0\r\n");
  EXPECT_TRUE(has(open, "\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n"))
      << open;
  EXPECT_EQ(body_of(open), "a_metric 1\n# EOF\n");
  // Several fields are one list.
  EXPECT_TRUE(
      has(rig.ask("GET", "/metrics", "Accept: text/plain;q=0.1\r\nAccept: application/openmetrics-text\r\n"),
          "# EOF"));
}

TEST(AdminApi, StatsAreWhatTheSourceSays) {
  AdminRig rig;
  const std::string answer = rig.ask("GET", "/v1/stats?anything");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")) << answer;
  EXPECT_EQ(body_of(answer), R"({"number":1})");
}

TEST(AdminApi, TheLoopsHealthAndTheDaemonsReadinessAreTwoThings) {
  AdminRig rig;
  EXPECT_TRUE(
      rig.ask("GET", "/healthz").starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8"));
  EXPECT_EQ(body_of(rig.ask("GET", "/readyz")), "ok\n");
  rig.source.state = {.healthy = true, .ready = false, .reason = "draining"};
  EXPECT_EQ(body_of(rig.ask("GET", "/healthz")), "ok\n");
  const std::string not_ready = rig.ask("GET", "/readyz");
  EXPECT_TRUE(not_ready.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << not_ready;
  EXPECT_EQ(body_of(not_ready), "draining\n");
  rig.source.state = {.healthy = false, .ready = true, .reason = "stuck"};
  EXPECT_EQ(body_of(rig.ask("GET", "/healthz")), "stuck\n");
  EXPECT_EQ(body_of(rig.ask("GET", "/readyz")), "stuck\n");
}

TEST(AdminApi, TopTakesItsParameters) {
  AdminRig rig;
  EXPECT_EQ(body_of(rig.ask("GET", "/v1/top")), R"({"keys":[]})");
  EXPECT_EQ(rig.source.asked.by, TopBy::busiest);
  EXPECT_EQ(rig.source.asked.rule, "");
  EXPECT_EQ(rig.source.asked.limit, 20U);
  EXPECT_EQ(body_of(rig.ask("GET", "/v1/top?by=denied&rule=per%2Duser&limit=100")), R"({"keys":[]})");
  EXPECT_EQ(rig.source.asked.by, TopBy::denied);
  EXPECT_EQ(rig.source.asked.rule, "per-user");
  EXPECT_EQ(rig.source.asked.limit, 100U);
}

TEST(AdminApi, TopRefusesWhatMakesNoSense) {
  AdminRig rig;
  EXPECT_TRUE(rig.ask("GET", "/v1/top?rule=none").starts_with("HTTP/1.1 404 "));
  for (const char* query : {"limit=0", "limit=101", "limit=", "limit=x", "limit=99999999999999999999",
                            "by=rule", "by=", "a=1", "rule=%zz"}) {
    const std::string answer = rig.ask("GET", "/v1/top?" + std::string(query));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << query << answer;
    EXPECT_TRUE(has(answer, "application/problem+json")) << query;
  }
  EXPECT_TRUE(has(rig.ask("GET", "/v1/top?limt=1"), "did you mean"));
}

TEST(AdminApi, ThePageRunsOnlyWhatItBrings) {
  AdminRig rig;
  const std::string answer = rig.ask("GET", "/", "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n");
  EXPECT_EQ(body_of(answer), page_document());
  EXPECT_TRUE(has(answer, "\r\nContent-Security-Policy: default-src 'none'; connect-src 'self'; ")) << answer;
  EXPECT_TRUE(has(answer, "style-src 'sha256-"));
  EXPECT_TRUE(has(answer, "script-src 'sha256-"));
  EXPECT_FALSE(has(answer, "unsafe"));
  EXPECT_LE(page_document().size(), 40U * 1024);
  EXPECT_TRUE(page_document().ends_with("</html>\n"));
}

TEST(AdminApi, EveryAnswerForbidsGuessingAndKeeping) {
  AdminRig rig;
  for (const std::string_view target : kEndpoints) {
    const std::string answer = rig.ask("GET", target);
    EXPECT_TRUE(has(answer, "\r\nX-Content-Type-Options: nosniff\r\n")) << target;
    EXPECT_TRUE(has(answer, "\r\nCache-Control: no-store\r\n")) << target;
  }
  for (const std::string& answer : {rig.ask("GET", "/nothing"), rig.ask("PUT", "/"), rig.listen().received}) {
    EXPECT_TRUE(has(answer, "\r\nX-Content-Type-Options: nosniff\r\n")) << answer;
    EXPECT_TRUE(has(answer, "\r\nCache-Control: no-store\r\n")) << answer;
  }
}

TEST(AdminApi, HeadIsGetWithoutTheBody) {
  AdminRig rig;
  for (const std::string_view target : kEndpoints) {
    const std::string get = rig.ask("GET", target);
    const std::string head = rig.ask("HEAD", target);
    EXPECT_EQ(head, get.substr(0, get.size() - body_of(get).size())) << target;
  }
  const std::string stream = rig.ask("HEAD", "/v1/stream");
  EXPECT_TRUE(has(stream, "\r\nContent-Type: text/event-stream\r\n")) << stream;
  EXPECT_EQ(rig.server.streams(), 0U);
  EXPECT_TRUE(rig.wires.back().closed);
}

TEST(AdminApi, UnknownPathsAreNotFound) {
  AdminRig rig;
  for (const char* target :
       {"/v1/stat", "/index.html", "//", "/metrics/", "/v1/check?user=1", "/favicon.ico"}) {
    const std::string answer = rig.ask("GET", target);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 404 Not Found\r\nContent-Type: application/problem+json\r\n"))
        << target;
  }
  EXPECT_TRUE(has(rig.ask("GET", "/v1/stat"), R"(did you mean \"/v1/stats\")"));
}

TEST(AdminApi, NothingIsWritten) {
  AdminRig rig;
  for (const std::string_view target : kEndpoints) {
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
      const std::string answer = rig.ask(method, target);
      EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 Method Not Allowed\r\n")) << method << target;
      EXPECT_TRUE(has(answer, "\r\nAllow: GET, HEAD\r\n")) << method << target;
    }
  }
  EXPECT_EQ(rig.source.rendered, 0U);
}

TEST(AdminApi, WhatTheClientCannotReadIsNotMade) {
  AdminRig rig;
  for (const char* target : {"/", "/metrics", "/v1/stats", "/v1/top", "/v1/stream"}) {
    const std::string answer = rig.ask("GET", target, "Accept: image/png\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 406 Not Acceptable\r\n")) << target << answer;
  }
  EXPECT_EQ(rig.source.rendered, 0U);
  // Probes are answered whatever they say they accept.
  EXPECT_EQ(body_of(rig.ask("GET", "/healthz", "Accept: image/png\r\n")), "ok\n");
  EXPECT_EQ(body_of(rig.ask("GET", "/readyz", "Accept: application/json\r\n")), "ok\n");
}

}  // namespace
}  // namespace sluice::server
