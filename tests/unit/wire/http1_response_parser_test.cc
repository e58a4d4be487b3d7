// Aim: responses are read as RFC 9112 writes them, with each of the ways in which a body ends; what parsers
// read differently is refused, and everything is bounded. Method: tables of responses, each fed whole, byte
// by byte and in every split in two, and then the end of the stream; 50,000 random mutations.
#include "wire/http1/response_parser.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "unit/wire/http1_response_feed.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {
namespace {

using namespace std::string_literals;

using Headers = std::vector<std::pair<std::string, std::string>>;

/// The only response of the stream.
KeptResponse read(std::string_view input) {
  const ResponseOutcome outcome = feed_response_every_way(input);
  EXPECT_EQ(outcome.broken, "") << input;
  EXPECT_EQ(outcome.message, "") << input;
  if (outcome.responses.size() != 1) {
    ADD_FAILURE() << outcome.responses.size() << " responses in " << input;
    return {};
  }
  EXPECT_EQ(outcome.lengths[0], input.size());
  return outcome.responses[0];
}

/// What a stream with nothing but a malformed response ends in.
ResponseOutcome refused(std::string_view input, const HttpBounds& bounds = {}) {
  ResponseOutcome outcome = feed_response_every_way(input, bounds);
  EXPECT_EQ(outcome.broken, "") << input;
  EXPECT_TRUE(outcome.responses.empty()) << input;
  return outcome;
}

TEST(Http1ResponseParser, each_way_a_body_ends) {
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello"),
            (KeptResponse{200, {{"Content-Length", "5"}, {"X", "y"}}, "hello"}));
  EXPECT_EQ(read("HTTP/1.1 500 Oh no\r\nContent-Length: 0\r\n\r\n"),
            (KeptResponse{500, {{"Content-Length", "0"}}, ""}));
  EXPECT_EQ(
      read("HTTP/1.1 202 \r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nT: u\r\n\r\n"),
      (KeptResponse{202, {{"Transfer-Encoding", "chunked"}}, "abcde"}));
  EXPECT_EQ(read("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nuntil the end"),
            (KeptResponse{200, {{"Server", "old"}}, "until the end"}));
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\n\r\n"), (KeptResponse{200, {}, ""}));
  EXPECT_EQ(read("HTTP/1.1 204 No Content\r\n\r\n"), (KeptResponse{204, {}, ""}));
  EXPECT_EQ(read("HTTP/1.1 304 Not Modified\r\nContent-Length: 9000000\r\n\r\n"),
            (KeptResponse{304, {{"Content-Length", "9000000"}}, ""}));
}

TEST(Http1ResponseParser, interim_responses_are_passed_over) {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  EXPECT_EQ(read("HTTP/1.1 100 Continue\r\n\r\n" + interim + "HTTP/1.1 204 No\r\n\r\n"),
            (KeptResponse{204, {}, ""}));
  EXPECT_EQ(refused(interim + interim + interim + interim + interim).message,
            "interim responses instead of an answer");
  EXPECT_EQ(refused("HTTP/1.1 101 Switching\r\n\r\n").message, "another protocol, which nobody asked for");
  EXPECT_EQ(refused("HTTP/1.1 100 Continue\r\nContent-Length: 3\r\n\r\nabc").message,
            "an interim response that announces a body");
}

TEST(Http1ResponseParser, one_after_the_other) {
  const ResponseOutcome outcome = feed_response_every_way(
      "HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 "
      "OK\r\n\r\nrest");
  EXPECT_EQ(outcome.broken, "");
  EXPECT_EQ(outcome.message, "");
  ASSERT_EQ(outcome.responses.size(), 3U);
  EXPECT_EQ(outcome.responses[0].body, "x");
  EXPECT_EQ(outcome.responses[2].body, "rest");
}

TEST(Http1ResponseParser, malformed) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  const std::string both = "Content-Length with Transfer-Encoding";
  const std::vector<std::pair<std::string, std::string>> rows{
      {"hello\r\n", "the answer does not begin with HTTP/1.1 or HTTP/1.0"},
      {"\r\n", "the answer does not begin with HTTP/1.1 or HTTP/1.0"},
      {"HTTP/2.0 200 OK\r\n\r\n", "the answer does not begin with HTTP/1.1 or HTTP/1.0"},
      {"\x15\x03\x01", "a line of the head holds the control byte \\x15"},
      {"HTTP/1.1 200\r\n\r\n", "the status line has no status of three digits"},
      {"HTTP/1.1 20 OK\r\n\r\n", "the status line has no status of three digits"},
      {"HTTP/1.1 2000 OK\r\n\r\n", "the status line has no status of three digits"},
      {"HTTP/1.1 2x0 OK\r\n\r\n", "the status line has no status of three digits"},
      {"HTTP/1.1 099 OK\r\n\r\n", "the status is not one of 100 to 599"},
      {"HTTP/1.1 600 OK\r\n\r\n", "the status is not one of 100 to 599"},
      {"HTTP/1.1 200 OK\n\r\n", "a line of the head ends in a bare LF"},
      {head + "X: a\r\n b\r\n\r\n", "a header field is folded (obs-fold)"},
      {head + "X : a\r\n\r\n", "white space before the colon of a header field"},
      {head + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na", "two Content-Length fields"},
      {head + "Content-Length: +1\r\n\r\na", "Content-Length is not a plain number"},
      {head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", both},
      {head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       "two Transfer-Encoding fields"},
      {head + "Transfer-Encoding: gzip\r\n\r\n", "a Transfer-Encoding other than \"chunked\""},
      {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "Transfer-Encoding in HTTP/1.0"},
      {"", "closed without an answer"},
      {"HTTP/1.1 200 OK\r\nX: y", "closed within the head of the answer"},
  };
  for (const auto& [input, message] : rows) {
    const ResponseOutcome outcome = refused(input);
    EXPECT_EQ(outcome.message, message) << input;
    EXPECT_EQ(outcome.status, 0) << input;
  }
}

TEST(Http1ResponseParser, the_status_stands_whatever_becomes_of_the_body) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"Content-Length: 5\r\n\r\nhell", "closed within the body of the answer"},
      {"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "closed within the body of the answer"},
      {"Transfer-Encoding: chunked\r\n\r\nx\r\n", "the size of a chunk is not a hexadecimal number"},
  };
  for (const auto& [rest, message] : rows) {
    const ResponseOutcome outcome = refused("HTTP/1.1 201 Created\r\n" + rest);
    EXPECT_EQ(outcome.message, message) << rest;
    EXPECT_EQ(outcome.status, 201) << rest;
  }
}

TEST(Http1ResponseParser, bounds) {
  const HttpBounds bounds{.max_header_bytes = 64, .max_headers = 2, .max_body_bytes = 8};
  const std::string body = "the body is longer than 8 bytes";
  EXPECT_EQ(refused("HTTP/1.1 200 OK\r\nX: " + std::string(64, 'x'), bounds).message,
            "the head is longer than 64 bytes");
  EXPECT_EQ(refused("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", bounds).message,
            "more than 2 header fields");
  const ResponseOutcome announced = refused("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", bounds);
  EXPECT_EQ(announced.message, body);
  EXPECT_EQ(announced.status, 200);
  EXPECT_EQ(refused("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", bounds).message, body);
  EXPECT_EQ(refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n", bounds).message, body);
  const ResponseOutcome endless = refused("HTTP/1.1 200 OK\r\n\r\n123456789", bounds);
  EXPECT_EQ(endless.message, body);
  EXPECT_EQ(endless.status, 200);
  const ResponseOutcome most = feed_response_every_way("HTTP/1.1 200 OK\r\n\r\n12345678", bounds);
  EXPECT_EQ(most.message, "");
}

TEST(Http1ResponseParser, mutations_have_one_outcome_in_every_chunking) {
  constexpr std::array<std::string_view, 3> kSeeds{
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.0 404 No\r\nX: y\r\n\r\nrest",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: u\r\n\r\n",
      "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not\r\nContent-Length: 3\r\n\r\n"};
  constexpr std::array<std::string_view, 8> kTelling{
      "\r\n", "\r", "\n", "0", " ", "HTTP/1.1 ", "Content-Length: 2\r\n", ":"};
  const HttpBounds bounds{.max_header_bytes = 80, .max_headers = 3, .max_body_bytes = 16};
  std::mt19937_64 random(7);
  std::size_t read = 0;
  std::size_t malformed = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes(kSeeds.at(random() % kSeeds.size()));
    const std::size_t at = random() % bytes.size();
    if (random() % 2 == 0) {
      bytes.insert(at, kTelling.at(random() % kTelling.size()));
    } else {
      bytes[at] = static_cast<char>(random());
    }
    const ResponseOutcome whole = feed_response(bytes, {}, bounds);
    ASSERT_EQ(whole.broken, "") << "mutation " << i;
    ASSERT_EQ(feed_response(bytes, random_cuts(bytes.size(), 1 + random() % 40, random), bounds), whole)
        << "mutation " << i;
    read += whole.responses.size();
    if (!whole.message.empty()) ++malformed;
  }
  EXPECT_GT(read, 10'000U) << "the mutations break everything";
  EXPECT_GT(malformed, 10'000U) << "the mutations break nothing";
}

}  // namespace
}  // namespace sluice::wire::http1
