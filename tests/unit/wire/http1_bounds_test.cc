// Aim: each bound lets through what is exactly at it, refuses one more, and refuses as soon as that is
// certain; and time is linear in the bytes. Method: inputs built to a size; where it matters when a refusal
// comes, the bytes come one by one.
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "unit/wire/http1_feed.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {
namespace {

constexpr HttpBounds kSmall{.max_header_bytes = 100, .max_headers = 3, .max_body_bytes = 20};
constexpr std::string_view kChunkedHead = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

Outcome feed_small(const std::string& input) {
  Outcome outcome = feed_every_way(input, kSmall);
  EXPECT_EQ(outcome.broken, "") << input;
  return outcome;
}

void expect_accepted(const std::string& input) {
  const Outcome outcome = feed_small(input);
  EXPECT_EQ(outcome.message, "") << input;
  EXPECT_EQ(outcome.requests.size(), 1) << input;
  EXPECT_EQ(outcome.left, 0) << input;
}

void expect_refused(const std::string& input, int status, std::string_view message) {
  const Outcome outcome = feed_small(input);
  EXPECT_EQ(outcome.status, status) << input;
  EXPECT_EQ(outcome.message, message) << input;
}

/// A head of exactly `size` bytes.
std::string head_of(std::size_t size) {
  const std::string_view around = "GET / HTTP/1.0\r\nX: \r\n\r\n";
  return "GET / HTTP/1.0\r\nX: " + std::string(size - around.size(), 'x') + "\r\n\r\n";
}

/// How many bytes of `input`, given one by one, it takes to refuse it; 0 if it is not refused.
std::size_t bytes_until_refused(std::string_view input, const HttpBounds& bounds) {
  RequestParser parser(bounds);
  Request request;
  for (std::size_t size = 1; size <= input.size(); ++size) {
    if (parser.parse(input.substr(0, size), request) == ParseStatus::malformed) return size;
  }
  return 0;
}

TEST(Http1Bounds, head) {
  expect_accepted(head_of(100));
  expect_accepted("\r\n\r\n" + head_of(100));
  expect_refused(head_of(101), 431, "the head is longer than 100 bytes");
  expect_refused("GET /" + std::string(200, 'x'), 431, "the head is longer than 100 bytes");
  // At the bound, an unfinished head can only become longer.
  EXPECT_EQ(bytes_until_refused(head_of(101), kSmall), 100);
  EXPECT_EQ(bytes_until_refused(std::string(101, 'x'), kSmall), 100);
}

TEST(Http1Bounds, head_by_default) {
  EXPECT_EQ(feed(head_of(16384), {}).requests.size(), 1);
  const Outcome outcome = feed(head_of(16385), {});
  EXPECT_EQ(outcome.status, 431);
  EXPECT_EQ(outcome.message, "the head is longer than 16384 bytes");
}

TEST(Http1Bounds, number_of_fields) {
  expect_accepted("GET / HTTP/1.0\r\na:\r\nb:\r\nc:\r\n\r\n");
  expect_refused("GET / HTTP/1.0\r\na:\r\nb:\r\nc:\r\nd:\r\n", 431, "more than 3 header fields");
}

TEST(Http1Bounds, announced_length) {
  const std::string start = "POST / HTTP/1.0\r\nContent-Length: ";
  const std::string message = "the body is longer than 20 bytes";
  expect_accepted(start + "20\r\n\r\n" + std::string(20, 'x'));
  expect_refused(start + "21\r\n\r\n", 413, message);
  expect_refused(start + "18446744073709551615\r\n\r\n", 413, message);
  expect_refused(start + "18446744073709551616\r\n\r\n", 413, message);
  expect_refused(start + "99999999999999999999999999999999\r\n\r\n", 413, message);
  expect_refused(start + "18446744073709551616\r\nHost: a\r\nHost: a\r\n\r\n", 400, "two Host fields");
  expect_refused("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 21\r\n\r\n", 413,
                 message);
}

TEST(Http1Bounds, decoded_chunks) {
  const std::string head(kChunkedHead);
  const std::string message = "the body is longer than 20 bytes";
  const std::string twelve = "c\r\n" + std::string(12, 'x') + "\r\n";
  expect_accepted(head + "14\r\n" + std::string(20, 'x') + "\r\n0\r\n\r\n");
  expect_accepted(head + twelve + "8\r\n12345678\r\n0\r\n\r\n");
  expect_refused(head + "15\r\n", 413, message);
  expect_refused(head + twelve + "9\r\n", 413, message);
  expect_refused(head + "ffffffffffffffff\r\n", 413, message);
  expect_refused(head + "10000000000000000\r\n", 413, message);
  expect_refused(head + twelve + "ffffffffffffffff\r\n", 413, message);
}

TEST(Http1Bounds, extensions_of_all_chunks_together) {
  const std::string head(kChunkedHead);
  const std::string message = "chunk extensions of more than 100 bytes";
  const auto chunk = [](std::size_t dropped) { return "1;" + std::string(dropped - 1, 'e') + "\r\nx\r\n"; };
  expect_accepted(head + chunk(100) + "0\r\n\r\n");
  expect_accepted(head + chunk(60) + chunk(30) + "0;345678901\r\n\r\n");
  expect_refused(head + chunk(101), 413, message);
  expect_refused(head + chunk(60) + chunk(41), 413, message);
  expect_refused(head + chunk(60) + chunk(30) + "0;3456789012\r\n", 413, message);
  expect_refused(head + "1;" + std::string(150, 'e'), 413, message);
  expect_accepted(head + std::string(100, '0') + "1\r\nx\r\n0\r\n\r\n");
  expect_refused(head + std::string(101, '0') + "1\r\n", 413, message);
  expect_refused(head + std::string(150, '0'), 413, message);
}

TEST(Http1Bounds, trailers) {
  const std::string head = std::string(kChunkedHead) + "0\r\n";
  expect_accepted(head + "X: " + std::string(93, 'x') + "\r\n\r\n");
  expect_refused(head + "X: " + std::string(94, 'x') + "\r\n\r\n", 431, "trailers of more than 100 bytes");
  EXPECT_EQ(bytes_until_refused(head + std::string(200, 'x'), kSmall), head.size() + 100);
  expect_accepted(head + "a:\r\nb:\r\nc:\r\n\r\n");
  expect_refused(head + "a:\r\nb:\r\nc:\r\nd:\r\n", 431, "more than 3 trailers");
}

TEST(Http1Bounds, boundless_is_not_an_overflow) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  const HttpBounds boundless{.max_header_bytes = kMost, .max_headers = kMost, .max_body_bytes = kMost};
  const std::string chunk = "2;a\r\nxy\r\n";
  EXPECT_EQ(
      feed_every_way(std::string(kChunkedHead) + chunk + "0\r\nX: y\r\n\r\n", boundless).requests.size(), 1);
  EXPECT_EQ(feed_every_way(std::string(kChunkedHead) + chunk + "ffffffffffffffff\r\n", boundless).status,
            413);
  EXPECT_EQ(
      feed_every_way("GET / HTTP/1.0\r\nContent-Length: 18446744073709551615\r\n\r\n", boundless).status,
      413);
}

// If a call cost what the earlier ones cost, each of these would take hours.
TEST(Http1Bounds, byte_by_byte_is_linear) {
  constexpr std::size_t kSize = 2'000'000;
  const HttpBounds wide{.max_header_bytes = 2 * kSize, .max_headers = kSize, .max_body_bytes = kSize};
  std::string fields = "GET / HTTP/1.0\r\n";
  while (fields.size() < kSize) fields += "a: b\r\n";
  std::string chunks(kChunkedHead);
  while (chunks.size() < kSize) chunks += "1;e\r\nx\r\n";
  const std::string long_value(kSize, 'e');
  for (const std::string& bytes : {
           head_of(kSize),
           fields + "\r\n",
           "POST / HTTP/1.0\r\nContent-Length: " + std::to_string(kSize) + "\r\n\r\n" + long_value,
           chunks + "0\r\n\r\n",
           std::string(kChunkedHead) + "0;" + long_value + "\r\n\r\n",
           std::string(kChunkedHead) + "0\r\nX: " + long_value + "\r\n\r\n",
       }) {
    RequestParser parser(wide);
    Request request;
    for (std::size_t size = 1; size < bytes.size(); ++size) {
      ASSERT_EQ(parser.parse(std::string_view(bytes).substr(0, size), request), ParseStatus::incomplete)
          << parser.message();
    }
    ASSERT_EQ(parser.parse(bytes, request), ParseStatus::complete) << parser.message();
    ASSERT_EQ(parser.consumed(), bytes.size());
  }
}

}  // namespace
}  // namespace sluice::wire::http1
