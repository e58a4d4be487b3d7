// Aim: no bytes whatever crash the parser, make it read past the buffer, or make the outcome depend on how
// the bytes were cut. Method: 100,000 random mutations of valid pipelines, each parsed whole and in random
// chunks, with a fixed seed.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "unit/wire/http1_feed.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {
namespace {

using namespace std::string_view_literals;

constexpr int kMutations = 100'000;

/// Pieces that mean something to HTTP, so that mutations reach deeper than the first check.
constexpr std::array<std::string_view, 24> kTelling{"\r",
                                                    "\n",
                                                    "\r\n",
                                                    "\r\n\r\n",
                                                    " ",
                                                    "\t",
                                                    ":",
                                                    ";",
                                                    ",",
                                                    "0",
                                                    "5",
                                                    "a",
                                                    "/",
                                                    "=",
                                                    "\"",
                                                    "HTTP/1.0",
                                                    "close",
                                                    "Content-Length: 3\r\n",
                                                    "Transfer-Encoding: chunked\r\n",
                                                    "Host: b\r\n",
                                                    "Expect: 100-continue\r\n",
                                                    "0\r\n\r\n",
                                                    "\0"sv,
                                                    "\xff"};

constexpr std::array<std::string_view, 4> kSeeds{
    "GET /v1/check?user=1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\nHEAD / HTTP/1.0\r\nConnection: "
    "keep-alive\r\n\r\n",
    "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n{\"a\":1}DELETE /b HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
    "chunked\r\n\r\n3;x=\"y\"\r\nabc\r\na\r\n0123456789\r\n0\r\nT: u\r\n\r\n"
    "\r\nGET /2 HTTP/1.0\r\n\r\n",
    "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: "
    "close\r\n\r\nokGET / HTTP/1.0\r\n\r\n",
};

void mutate(std::string& bytes, std::mt19937_64& random) {
  for (std::uint64_t left = 1 + random() % 2; left > 0 && !bytes.empty(); --left) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 6) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes.replace(at, 1, kTelling.at(random() % kTelling.size()));
        break;
      case 2:
        bytes.insert(at, kTelling.at(random() % kTelling.size()));
        break;
      case 3:
        bytes.erase(at, 1 + random() % 4);
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 24));
        break;
    }
  }
}

TEST(Http1Mutation, requests_have_one_outcome_in_every_chunking) {
  const HttpBounds bounds{.max_header_bytes = 110, .max_headers = 5, .max_body_bytes = 24};
  std::mt19937_64 random(44);
  int requests = 0;
  std::map<int, int> refusals;
  for (int i = 0; i < kMutations; ++i) {
    std::string bytes(kSeeds.at(random() % kSeeds.size()));
    mutate(bytes, random);
    const Outcome whole = feed(bytes, {}, bounds);
    ASSERT_EQ(whole.broken, "") << "mutation " << i;
    ASSERT_EQ(feed(bytes, random_cuts(bytes.size(), 1 + random() % 40, random), bounds), whole)
        << "mutation " << i;
    requests += static_cast<int>(whole.requests.size());
    ++refusals[whole.status];
  }
  EXPECT_GT(requests, kMutations / 4) << "the mutations break everything";
  EXPECT_GT(refusals[400], kMutations / 4) << "the mutations break nothing";
  for (const int status : {413, 417, 431, 501, 505}) EXPECT_GT(refusals[status], 10) << status;
}

}  // namespace
}  // namespace sluice::wire::http1
