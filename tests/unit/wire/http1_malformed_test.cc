// Aim: every shape that two parsers might read differently is refused, with the right status and a message
// that names it. Method: a table a topic; each input is fed whole, byte by byte and in every split in two.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "unit/wire/http1_feed.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {
namespace {

using namespace std::string_view_literals;
using namespace std::string_literals;

struct Row {
  std::string input;
  int status;
  std::string message;
};

void expect_refused(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    // What follows must not be taken for a request, nor change what is wrong.
    for (const std::string_view rest : {"", "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"}) {
      const Outcome outcome = feed_every_way(row.input + std::string(rest));
      EXPECT_EQ(outcome.broken, "") << row.input;
      EXPECT_TRUE(outcome.requests.empty()) << row.input;
      EXPECT_EQ(outcome.status, row.status) << row.input;
      EXPECT_EQ(outcome.message, row.message) << row.input;
    }
  }
}

/// A request of HTTP/1.1 with these fields beside Host.
std::string with(std::string_view fields, std::string_view body = "") {
  return std::string("POST / HTTP/1.1\r\nHost: a\r\n").append(fields).append("\r\n").append(body);
}

TEST(Http1Malformed, two_framings) {
  const std::string both = "Content-Length with Transfer-Encoding";
  expect_refused({
      {with("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), 400, "two Content-Length fields"},
      {with("Content-Length: 5\r\nX: y\r\ncontent-length: 5\r\n", "hello"), 400, "two Content-Length fields"},
      {with("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400, both},
      {with("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n"), 400, both},
      {with("Transfer-Encoding: identity\r\nContent-Length: 3\r\n", "abc"), 400, both},
      {with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400,
       "two Transfer-Encoding fields"},
      {with("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", "0\r\n\r\n"), 400,
       "two Transfer-Encoding fields"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400,
       "Transfer-Encoding in HTTP/1.0"},
  });
}

TEST(Http1Malformed, content_length) {
  for (const std::string value :
       {"", "+5", "-5", "5, 5", "5,5", "0x5", "5 5", "5.0", "5;", "\xd9\xa5", "five", "1e3"}) {
    expect_refused(
        {{with("Content-Length: " + value + "\r\n", "hello"), 400, "Content-Length is not a plain number"}});
  }
}

TEST(Http1Malformed, transfer_encoding) {
  for (const std::string value :
       {"", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "xchunked", "chunked;q=1",
        "\"chunked\"", "chunked,", ",chunked", "identity",
        "\x0b"
        "chunked"}) {
    if (value.starts_with('\x0b')) {
      expect_refused({{with("Transfer-Encoding: " + value + "\r\n"), 400,
                       "a line of the head holds the control byte \\x0b"}});
      continue;
    }
    expect_refused({{with("Transfer-Encoding: " + value + "\r\n", "0\r\n\r\n"), 501,
                     "a Transfer-Encoding other than \"chunked\""}});
  }
}

TEST(Http1Malformed, line_ends_and_control_bytes) {
  const std::string lf = "a line of the head ends in a bare LF";
  const std::string cr = "a line of the head holds a bare CR";
  const std::string nul = "a line of the head holds the control byte \\x00";
  expect_refused({
      {"GET / HTTP/1.1\nHost: a\r\n\r\n", 400, lf},
      {"GET / HTTP/1.1\r\nHost: a\n\r\n", 400, lf},
      {"GET / HTTP/1.1\r\nHost: a\r\n\n", 400, lf},
      {"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400, lf},
      {"GET / HTTP/1.1\rHost: a\r\n\r\n", 400, cr},
      {"GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", 400, cr},
      {with("X: a\rContent-Length: 5\r\n"), 400, cr},
      {with("X: a\r\r\n"), 400, cr},
      {"\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400, cr},
      {with("X: a\0b\r\n"sv), 400, nul},
      {with("X\0: a\r\n"sv), 400, nul},
      {"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"s, 400, nul},
      {with("X: \x7f\r\n"), 400, "a line of the head holds the control byte \\x7f"},
      {with("X: \x1b[0m\r\n"), 400, "a line of the head holds the control byte \\x1b"},
      {"\x16\x03\x01", 400,
       "a line of the head holds the control byte \\x16"},  // TLS, refused at its first byte
  });
}

TEST(Http1Malformed, fields) {
  expect_refused({
      {with("X: a\r\n b\r\n"), 400, "a header field is folded (obs-fold)"},
      {with("X: a\r\n\tb\r\n"), 400, "a header field is folded (obs-fold)"},
      {with("X:\r\n \r\n"), 400, "a header field is folded (obs-fold)"},
      {"GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400, "a header field is folded (obs-fold)"},
      {with("Content-Length : 5\r\n", "hello"), 400, "white space before the colon of a header field"},
      {with("Transfer-Encoding\t: chunked\r\n", "0\r\n\r\n"), 400,
       "white space before the colon of a header field"},
      {with(": a\r\n"), 400, "a header field has no name"},
      {with("Content-Length\r\n"), 400, "a header field has no colon"},
      {with("X Y: a\r\n"), 400, "\"X Y\" is no name of a header field"},
      {with("X(Y): a\r\n"), 400, "\"X(Y)\" is no name of a header field"},
      {with("\"X\": a\r\n"), 400, "\"\"X\"\" is no name of a header field"},
      {with("X\xc3\xa9: a\r\n"), 400, "\"X\\xc3\\xa9\" is no name of a header field"},
      {with("Connection: a b\r\n"), 400, "Connection is not a list of tokens"},
      {with("Connection: keep-alive, \"close\"\r\n"), 400, "Connection is not a list of tokens"},
      {"GET / HTTP/1.1\r\nX: y\r\n\r\n", 400, "no Host field"},
      {with("Host: a\r\n"), 400, "two Host fields"},
      {"GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", 400, "two Host fields"},
  });
}

TEST(Http1Malformed, request_line) {
  const std::string shape = "the request line is not a method, a target and a version";
  const std::string path = "the target is not a path that begins with '/'";
  const std::string version = "the request line does not end in an HTTP version";
  const std::string known = "a version other than HTTP/1.0 and HTTP/1.1";
  const auto line = [](const std::string& text) { return text + "\r\nHost: a\r\n\r\n"; };
  expect_refused({
      {line("GET"), 400, shape},
      {line("GET /"), 400, shape},
      {line("GET  HTTP/1.1"), 400, path},
      {line("GET  / HTTP/1.1"), 400, "white space in the target"},
      {line("GET / a HTTP/1.1"), 400, "white space in the target"},
      {line("GET /\t HTTP/1.1"), 400, "white space in the target"},
      {line("GET /  HTTP/1.1"), 400, "white space in the target"},
      {line("GET / HTTP/1.1 "), 400, version},
      {line("GET / http/1.1"), 400, version},
      {line("GET / HTTP/1"), 400, version},
      {line("GET / HTTP/1.1x"), 400, version},
      {line("GET / HTTP/01.1"), 400, version},
      {line("GET / XTTP/1.1"), 400, version},
      {line("GET / HTTP/0.9"), 505, known},
      {line("GET / HTTP/1.2"), 505, known},
      {line("GET / HTTP/3.0"), 505, known},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, known},
      {line("G\tET / HTTP/1.1"), 400, "the method is not a token"},
      {line(" GET / HTTP/1.1"), 400, "the method is not a token"},
      {line("G@T / HTTP/1.1"), 400, "the method is not a token"},
      {line("GET http://a/ HTTP/1.1"), 400, path},
      {line("CONNECT a:443 HTTP/1.1"), 400, path},
      {line("OPTIONS * HTTP/1.1"), 400, path},
      {line("GET a HTTP/1.1"), 400, path},
      {line("GET /a#b HTTP/1.1"), 400, "'#' in the target"},
      {"\r\n\r\n\r\n", 400, "empty lines instead of a request line"},
  });
}

TEST(Http1Malformed, expectations) {
  const std::string other = "an Expect other than \"100-continue\"";
  expect_refused({
      {with("Expect: 200-ok\r\n"), 417, other},
      {with("Expect:\r\n"), 417, other},
      {with("Expect: 100-continue, x\r\n"), 417, other},
      {with("Expect: 100-continue\r\nExpect: x\r\n"), 417, other},
  });
}

TEST(Http1Malformed, what_came_before_stands) {
  const Outcome outcome = feed_every_way("GET /1 HTTP/1.0\r\n\r\nGET /2 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(outcome.broken, "");
  EXPECT_EQ(outcome.requests.size(), 1);
  EXPECT_EQ(outcome.message, "no Host field");
}

}  // namespace
}  // namespace sluice::wire::http1
