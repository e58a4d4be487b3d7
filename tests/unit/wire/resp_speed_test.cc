// Aim: show what parsing a usual CHECK costs. Method: a loop over one command, timed and printed; nothing
// depends on the time, which is the machine's. Correctness of each pass is checked.
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <iostream>
#include <ratio>
#include <string_view>

#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {
namespace {

TEST(RespSpeed, prints_the_cost_of_a_check) {
  constexpr std::string_view kCheck = "*4\r\n$5\r\nCHECK\r\n$8\r\nuser=123\r\n$4\r\nCOST\r\n$1\r\n1\r\n";
  constexpr int kPasses = 500'000;
  RequestParser parser;
  Command command;
  std::size_t bytes = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kPasses; ++i) {
    ASSERT_EQ(parser.parse(kCheck, command), ParseStatus::complete);
    bytes += parser.consumed() + command.size();
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(bytes, kPasses * (kCheck.size() + 4));
  std::cout << "CHECK of 4 words: " << spent.count() / kPasses << " ns\n";
}

}  // namespace
}  // namespace sluice::wire::resp
