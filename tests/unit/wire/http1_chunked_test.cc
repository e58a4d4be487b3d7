// Aim: chunked bodies are decoded, and refused where they are not exactly as RFC 9112 writes them. Method:
// tables of bodies behind one head, each fed whole, byte by byte and in every split in two.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "unit/wire/http1_feed.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {
namespace {

using namespace std::string_view_literals;
using namespace std::string_literals;

constexpr std::string_view kHead = "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

Outcome feed_body(std::string_view body, const HttpBounds& bounds = {}) {
  Outcome outcome = feed_every_way(std::string(kHead).append(body), bounds);
  EXPECT_EQ(outcome.broken, "") << body;
  return outcome;
}

void expect_body(std::string_view raw, std::string_view decoded) {
  const Outcome outcome = feed_body(raw);
  EXPECT_EQ(outcome.message, "") << raw;
  EXPECT_EQ(outcome.left, 0) << raw;
  ASSERT_EQ(outcome.requests.size(), 1) << raw;
  EXPECT_EQ(outcome.requests[0].body, decoded) << raw;
  EXPECT_EQ(outcome.requests[0].headers.size(), 2) << "trailers are no headers";
  EXPECT_TRUE(outcome.requests[0].keep_alive) << raw;
}

void expect_refused(std::string_view raw, std::string_view message) {
  const Outcome outcome = feed_body(std::string(raw) + "GET /smuggled HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(outcome.requests.empty()) << raw;
  EXPECT_EQ(outcome.status, 400) << raw;
  EXPECT_EQ(outcome.message, message) << raw;
}

TEST(Http1Chunked, bodies) {
  expect_body("0\r\n\r\n", "");
  expect_body("000\r\n\r\n", "");
  expect_body("5\r\nhello\r\n0\r\n\r\n", "hello");
  expect_body("005\r\nhello\r\n00\r\n\r\n", "hello");
  expect_body("1\r\na\r\nA\r\n0123456789\r\nb\r\n0123456789a\r\n0\r\n\r\n", "a01234567890123456789a");
  expect_body("4\r\n\r\n\r\n\r\n5\r\n0\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n0\r\n\r\n");
  expect_body("2\r\n\0\n\r\n0\r\n\r\n"sv, "\0\n"sv);
}

TEST(Http1Chunked, the_name_of_the_coding_ignores_case) {
  const Outcome outcome =
      feed_every_way("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:  CHUNKED \r\n\r\n1\r\nx\r\n0\r\n\r\n");
  ASSERT_EQ(outcome.requests.size(), 1);
  EXPECT_EQ(outcome.requests[0].body, "x");
}

TEST(Http1Chunked, extensions_and_trailers_are_dropped) {
  expect_body("5;a\r\nhello\r\n0;b\r\n\r\n", "hello");
  expect_body("5;name=value;other=\"quoted; \\\" 0\"\r\nhello\r\n0;z=1\r\n\r\n", "hello");
  expect_body("5; a = b\r\nhello\r\n0\r\n\r\n", "hello");
  expect_body("5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-Other:\r\n\r\n", "hello");
  expect_body("5\r\nhello\r\n0\r\nConnection: close\r\nHost: b\r\n\r\n", "hello");
}

TEST(Http1Chunked, sizes) {
  const std::string number = "the size of a chunk is not a hexadecimal number";
  const std::string after = "the size of a chunk is followed by neither ';' nor CRLF";
  for (const std::string_view size : {"", ";a", "g", "-5", "+5", " 5", "\"5\"", "\xd9\xa5"}) {
    expect_refused(std::string(size) + "\r\nhello\r\n0\r\n\r\n", number);
  }
  for (const std::string_view size : {"5 ", "5\t", "0x5", "5,", "5 ;a", "5h", "5_0", "5.0"}) {
    expect_refused(std::string(size) + "\r\nhello\r\n0\r\n\r\n", after);
  }
}

TEST(Http1Chunked, ends_of_chunks) {
  const std::string end = "a chunk does not end where its size says";
  expect_refused("5\r\nhello0\r\n\r\n", end);
  expect_refused("4\r\nhello\r\n0\r\n\r\n", end);
  expect_refused("5\r\nhello\n0\r\n\r\n", end);
  expect_refused("5\r\nhello\r0\r\n\r\n", end);
  expect_refused("6\r\nhello\r\n0\r\n\r\n", end);
}

TEST(Http1Chunked, lines) {
  const std::string lf = "a line of the chunked body ends in a bare LF";
  const std::string cr = "a line of the chunked body holds a bare CR";
  expect_refused("5\nhello\r\n0\r\n\r\n", lf);
  expect_refused("5;a\nhello\r\n0\r\n\r\n", lf);
  expect_refused("0\r\n\n", lf);
  expect_refused("0\r\nX: y\n\r\n", lf);
  expect_refused("5\rhello\r\n0\r\n\r\n", cr);
  expect_refused("0\r\n\r", cr);
  expect_refused("5;a=\"\0\"\r\nhello\r\n0\r\n\r\n"s,
                 "a line of the chunked body holds the control byte \\x00");
}

TEST(Http1Chunked, trailers) {
  expect_refused("0\r\nContent-Length: 5\r\n\r\n", "Content-Length among the trailers");
  expect_refused("0\r\ntransfer-encoding: chunked\r\n\r\n", "transfer-encoding among the trailers");
  expect_refused("0\r\nX : y\r\n\r\n", "white space before the colon of a header field");
  expect_refused("0\r\nX: y\r\n z\r\n\r\n", "a header field is folded (obs-fold)");
  expect_refused("0\r\nGET / HTTP/1.1\r\n\r\n", "a header field has no colon");
}

// Beast is the one that reads extensions, and this shows that its refusal arrives.
TEST(Http1Chunked, extensions) {
  for (const std::string_view extension : {";", ";=b", ";a=", ";a b", ";a=b c", ";;a", "; ", ";a=\"b\"c"}) {
    expect_refused("5" + std::string(extension) + "\r\nhello\r\n0\r\n\r\n",
                   "not HTTP/1.1: bad chunk extension");
  }
  // An open quote: whether the string may go on behind the line's end, parsers see differently.
  expect_refused("5;a=\"b\r\nhello\r\n0\r\n\r\n", "it is unclear where the request ends");
  expect_refused("5;a=\"b\\\r\nhello\r\n0\r\n\r\n", "it is unclear where the request ends");
  expect_refused("5;a=\"b\r\nhel\"o\r\n0\r\n\r\n", "not HTTP/1.1: bad chunk extension");
}

}  // namespace
}  // namespace sluice::wire::http1
