// Aim: valid requests come out as they were sent, however their bytes were cut. Method: each stream is fed
// whole, byte by byte and in every split in two; what came out is compared field by field.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/wire/http1_feed.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {
namespace {

using namespace std::string_view_literals;

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The only request of `input`.
KeptRequest only(std::string_view input) {
  const Outcome outcome = feed_every_way(input);
  EXPECT_EQ(outcome.broken, "");
  EXPECT_EQ(outcome.message, "");
  EXPECT_EQ(outcome.left, 0);
  EXPECT_EQ(outcome.requests.size(), 1);
  return outcome.requests.empty() ? KeptRequest{} : outcome.requests.front();
}

TEST(Http1Request, get) {
  const KeptRequest expected{
      .method = "GET",
      .target = "/v1/check?user=1&cost=2",
      .headers = {{"Host", "sluice"}, {"accept", "*/*"}, {"X-Empty", ""}, {"X-Empty2", ""}},
      .body = "",
      .keep_alive = true,
      .minor_version = 1};
  EXPECT_EQ(only("GET /v1/check?user=1&cost=2 HTTP/1.1\r\nHost: sluice\r\naccept:\t */*  \r\n"
                 "X-Empty:\r\nX-Empty2:  \t\r\n\r\n"),
            expected);
}

TEST(Http1Request, methods) {
  for (const std::string method :
       {"GET", "HEAD", "POST", "DELETE", "PUT", "OPTIONS", "get", "M-SEARCH", "X!#$%&'*+.^_`|~9"}) {
    EXPECT_EQ(only(method + " / HTTP/1.1\r\nHost: a\r\n\r\n").method, method);
  }
}

TEST(Http1Request, bodies_by_length) {
  EXPECT_EQ(only("POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n{\"user\":\r\n\"\"").body,
            "{\"user\":\r\n\"\"");
  EXPECT_EQ(only("POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 0\r\n\r\n").body, "");
  EXPECT_EQ(only("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0005\r\n\r\nhello").body, "hello");
  EXPECT_EQ(only("DELETE / HTTP/1.0\r\nContent-Length: 2\r\n\r\nok").body, "ok");
  EXPECT_EQ(only("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\0\n\r"sv).body, "\0\n\r"sv);
}

TEST(Http1Request, header_values_keep_what_is_inside) {
  const KeptRequest request =
      only("GET /caf\xc3\xa9 HTTP/1.1\r\nHost: a\r\nX: a \t b:c\r\nX-Name: J\xc3\xbcrgen\r\nX:, ;\"\r\n\r\n");
  EXPECT_EQ(request.target, "/caf\xc3\xa9");
  EXPECT_EQ(request.headers,
            (Headers{{"Host", "a"}, {"X", "a \t b:c"}, {"X-Name", "J\xc3\xbcrgen"}, {"X", ", ;\""}}));
}

TEST(Http1Request, lookup_by_name) {
  RequestParser parser;
  Request request;
  ASSERT_EQ(parser.parse("GET / HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nx-two: 2\r\nX-TWO: 3\r\n\r\n", request),
            ParseStatus::complete);
  EXPECT_EQ(request.header("x-one"), "1");
  EXPECT_EQ(request.header("X-Two"), "") << "two values are not one";
  EXPECT_EQ(request.header("X-Three"), "");
  EXPECT_EQ(request.all("x-Two"), (std::vector<std::string_view>{"2", "3"}));
  EXPECT_TRUE(request.all("X-Three").empty());
}

TEST(Http1Request, keep_alive_by_version_and_connection) {
  struct Row {
    std::string_view connection;
    bool on_1_0;
    bool on_1_1;
  };
  for (const Row& row : {
           Row{"", false, true},
           Row{"Connection: keep-alive\r\n", true, true},
           Row{"Connection: Keep-Alive\r\n", true, true},
           Row{"Connection: close\r\n", false, false},
           Row{"connection: CLOSE\r\n", false, false},
           Row{"Connection: keep-alive, close\r\n", false, false},
           Row{"Connection: close\r\nConnection: keep-alive\r\n", false, false},
           Row{"Connection: Upgrade ,\tkeep-alive\r\n", true, true},
           Row{"Connection: , ,\r\n", false, true},
           Row{"Connection:\r\n", false, true},
           Row{"Connection: closed\r\n", false, true},
           Row{"Proxy-Connection: close\r\n", false, true},
       }) {
    const std::string fields = std::string("Host: a\r\n").append(row.connection).append("\r\n");
    EXPECT_EQ(only("GET / HTTP/1.0\r\n" + fields).keep_alive, row.on_1_0) << row.connection;
    EXPECT_EQ(only("GET / HTTP/1.1\r\n" + fields).keep_alive, row.on_1_1) << row.connection;
  }
}

TEST(Http1Request, version_1_0_needs_no_host) {
  EXPECT_EQ(only("GET / HTTP/1.0\r\n\r\n").minor_version, 0);
  EXPECT_EQ(only("GET / HTTP/1.0\r\nHost: a\r\n\r\n").headers, (Headers{{"Host", "a"}}));
  EXPECT_EQ(only("GET / HTTP/1.1\r\nHost:\r\n\r\n").minor_version, 1) << "an empty Host is one";
}

TEST(Http1Request, two_empty_lines_before_a_request_are_skipped) {
  EXPECT_EQ(only("\r\nGET / HTTP/1.0\r\n\r\n").method, "GET");
  EXPECT_EQ(only("\r\n\r\nPOST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx").body, "x");
}

TEST(Http1Request, pipelines) {
  const Outcome outcome = feed_every_way(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
      "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET "
      "POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
      "\r\nGET /4 HTTP/1.0\r\n\r\n"
      "POST /5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      "GET /6 HTT");
  EXPECT_EQ(outcome.broken, "");
  EXPECT_EQ(outcome.message, "");
  ASSERT_EQ(outcome.requests.size(), 5);
  EXPECT_EQ(outcome.requests[0].target, "/1");
  EXPECT_EQ(outcome.requests[1].body, "GET ");
  EXPECT_EQ(outcome.requests[2].body, "abcde");
  EXPECT_EQ(outcome.requests[3].target, "/4");
  EXPECT_EQ(outcome.requests[3].headers, Headers{});
  EXPECT_EQ(outcome.requests[3].body, "");
  EXPECT_EQ(outcome.requests[4].body, "");
  EXPECT_EQ(outcome.lengths[0], 28);
  EXPECT_EQ(outcome.lengths[3], 21) << "the empty line belongs to the request after it";
  EXPECT_EQ(outcome.left, 10);
}

TEST(Http1Request, nothing_is_incomplete) {
  RequestParser parser;
  Request request;
  EXPECT_EQ(parser.parse("", request), ParseStatus::incomplete);
  EXPECT_EQ(parser.parse("", request), ParseStatus::incomplete);
  EXPECT_EQ(parser.parse("GET / HTTP/1.0\r\n\r\n", request), ParseStatus::complete);
  EXPECT_EQ(parser.parse("", request), ParseStatus::incomplete);
}

TEST(Http1Request, expect_is_said_once_and_only_to_who_waits) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
  Request request;
  {
    RequestParser parser;
    EXPECT_EQ(parser.parse(head.substr(0, head.size() - 1), request), ParseStatus::incomplete);
    EXPECT_EQ(parser.parse(head, request), ParseStatus::wants_continue);
    EXPECT_EQ(parser.parse(head, request), ParseStatus::incomplete);
    EXPECT_EQ(parser.parse(head + "a", request), ParseStatus::incomplete);
    const std::string whole = head + "ab";
    EXPECT_EQ(parser.parse(whole, request), ParseStatus::complete);
    EXPECT_EQ(request.body, "ab");
    EXPECT_EQ(parser.parse(head, request), ParseStatus::wants_continue) << "each request has its own";
  }
  {
    RequestParser parser;
    EXPECT_EQ(parser.parse(head + "a", request), ParseStatus::incomplete) << "the body is on its way";
  }
  {
    RequestParser parser;
    EXPECT_EQ(parser.parse(head + "ab", request), ParseStatus::complete);
  }
}

TEST(Http1Request, expect_where_there_is_nothing_to_wait_for) {
  Request request;
  RequestParser parser;
  EXPECT_EQ(parser.parse("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", request),
            ParseStatus::complete);
  EXPECT_EQ(parser.parse("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", request),
            ParseStatus::incomplete)
      << "HTTP/1.0 has no interim responses";
  RequestParser chunked;
  EXPECT_EQ(chunked.parse(
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n",
                request),
            ParseStatus::wants_continue);
}

TEST(Http1Request, a_parser_serves_many_requests) {
  RequestParser parser;
  Request request;
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::string body(i * 37 % 9000, static_cast<char>('a' + i % 26));
    std::string bytes = "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n";
    if (i % 3 == 0) {
      bytes += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    } else {
      bytes += "Transfer-Encoding: chunked\r\n\r\n";
      for (std::size_t at = 0; at < body.size(); at += 16)
        bytes += "10\r\n" + (body + std::string(16, '.')).substr(at, 16) + "\r\n";
      bytes += "0\r\n\r\n";
    }
    ASSERT_EQ(parser.parse(bytes, request), ParseStatus::complete) << parser.message();
    ASSERT_EQ(parser.consumed(), bytes.size());
    ASSERT_EQ(request.target, "/" + std::to_string(i));
    ASSERT_TRUE(request.body.starts_with(body));
    ASSERT_LT(request.body.size() - body.size(), 16);
    ASSERT_EQ(request.headers.size(), 2);
  }
}

}  // namespace
}  // namespace sluice::wire::http1
