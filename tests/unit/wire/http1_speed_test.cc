// Aim: show what parsing a usual request costs. Method: loops over one request, timed and printed; nothing
// depends on the time, which is the machine's. Correctness of each pass is checked.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <iostream>
#include <ratio>
#include <string_view>

#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {
namespace {

void print_cost(std::string_view name, std::string_view bytes, std::size_t headers) {
  constexpr int kPasses = 100'000;
  RequestParser parser;
  Request request;
  std::size_t sum = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kPasses; ++i) {
    ASSERT_EQ(parser.parse(bytes, request), ParseStatus::complete);
    sum += parser.consumed() + request.headers.size();
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(sum, kPasses * (bytes.size() + headers));
  std::cout << name << " of " << bytes.size() << " bytes: " << spent.count() / kPasses << " ns\n";
}

TEST(Http1Speed, prints_the_cost_of_a_request) {
  print_cost("GET",
             "GET /v1/check?user=123&cost=1 HTTP/1.1\r\nHost: localhost\r\nUser-Agent: "
             "curl/7.88.1\r\nAccept: */*\r\n\r\n",
             3);
  print_cost("GET of a gateway",
             "GET /v1/authorize HTTP/1.1\r\nHost: sluice\r\nX-Original-Method: GET\r\nX-Original-URI: "
             "/orders/42?full=1\r\n"
             "X-Real-IP: 203.0.113.9\r\nX-Forwarded-For: 203.0.113.9, 10.0.0.7\r\nAuthorization: Bearer "
             "0123456789abcdef0123456789abcdef0123456789abcdef\r\nUser-Agent: Mozilla/5.0 (X11; Linux "
             "x86_64; rv:128.0) "
             "Gecko/20100101 Firefox/128.0\r\nAccept: "
             "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8\r\nAccept-Language: "
             "en-GB,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n\r\n",
             10);
  print_cost("POST",
             "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
             "application/json\r\nContent-Length: 42\r\n\r\n"
             "{\"descriptors\":{\"user\":\"123\"},\"cost\":1234}",
             3);
}

}  // namespace
}  // namespace sluice::wire::http1
