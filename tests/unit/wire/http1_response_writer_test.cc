// Aim: responses are, byte for byte, what clients of either version need. Method: whole responses compared
// with their text.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "wire/http1/response_writer.h"

namespace sluice::wire::http1 {
namespace {

using namespace std::string_literals;

std::string written(const Response& response, ResponseForm form = {}) {
  std::string out;
  append_response(out, response, form);
  return out;
}

const Response& denial() {
  static const Response response{.status = 429,
                                 .headers = {{"Content-Type", "application/json"}, {"Retry-After", "5"}},
                                 .body = "{\"allowed\":false}"};
  return response;
}

TEST(Http1Response, get) {
  EXPECT_EQ(written(denial()),
            "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 5\r\n"
            "Content-Length: 17\r\n\r\n{\"allowed\":false}");
}

TEST(Http1Response, head_has_the_length_but_not_the_body) {
  EXPECT_EQ(written(denial(), {.head = true}),
            "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 5\r\n"
            "Content-Length: 17\r\n\r\n");
}

TEST(Http1Response, connection) {
  const Response ok{.status = 200, .headers = {}, .body = ""};
  const std::string start = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n";
  EXPECT_EQ(written(ok, {.keep_alive = true, .minor_version = 1}), start + "\r\n");
  EXPECT_EQ(written(ok, {.keep_alive = false, .minor_version = 1}), start + "Connection: close\r\n\r\n");
  EXPECT_EQ(written(ok, {.keep_alive = true, .minor_version = 0}), start + "Connection: keep-alive\r\n\r\n");
  EXPECT_EQ(written(ok, {.keep_alive = false, .minor_version = 0}), start + "Connection: close\r\n\r\n");
}

TEST(Http1Response, statuses_without_a_body) {
  EXPECT_EQ(written({.status = 100, .headers = {}, .body = ""}), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(written({.status = 204, .headers = {{"A", "b"}}, .body = "dropped"}),
            "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n");
}

TEST(Http1Response, appends) {
  std::string out = "before";
  append_response(out, {.status = 200, .headers = {}, .body = "1"}, {});
  append_response(out, {.status = 404, .headers = {}, .body = "2"}, {});
  EXPECT_EQ(out,
            "beforeHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1HTTP/1.1 404 Not Found\r\nContent-Length: "
            "1\r\n\r\n2");
}

TEST(Http1Response, no_value_can_end_its_line) {
  const std::string value = "a\r\nSet-Cookie: x\n\r\n\0b\tc"s;
  EXPECT_EQ(
      written({.status = 200, .headers = {{"X-Rule", value}, {"X-Next", "\r\n"}}, .body = "\r\n"}),
      "HTTP/1.1 200 OK\r\nX-Rule: a  Set-Cookie: x    b\tc\r\nX-Next:   \r\nContent-Length: 2\r\n\r\n\r\n");
}

TEST(Http1Response, reasons) {
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(405), "Method Not Allowed");
  EXPECT_EQ(reason_phrase(431), "Request Header Fields Too Large");
  EXPECT_EQ(reason_phrase(505), "HTTP Version Not Supported");
  EXPECT_EQ(reason_phrase(599), "Unknown");
  EXPECT_EQ(written({.status = 499, .headers = {}, .body = ""}),
            "HTTP/1.1 499 Unknown\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1Response, a_stream_has_no_length_and_ends_with_the_connection) {
  std::string out;
  append_stream_head(out,
                     {.status = 200, .headers = {{"Content-Type", "text/event-stream"}}, .body = "ignored"});
  EXPECT_EQ(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n");
}

}  // namespace
}  // namespace sluice::wire::http1
