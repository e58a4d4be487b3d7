// Aim: the token bucket gives the values that a published table of another limiter expects.
// Method: tests/cases/throttle.tsv, row by row through take(); one state through all rows.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "base/time.h"
#include "limiter/limit.h"
#include "limiter/limiter.h"
#include "unit/limiter/limits.h"

namespace sluice::limiter {
namespace {

using namespace testing;

/// "3.1" → 3.1 s, without passing through a double.
Duration seconds_of(const std::string& text) {
  const auto point = text.find('.');
  std::string digits = point == std::string::npos ? text : text.substr(0, point) + text.substr(point + 1);
  digits.append(9 - (point == std::string::npos ? 0 : text.size() - point - 1), '0');
  return Duration(std::stoll(digits));
}

TEST(ThrottleTable, EveryRow) {
  const Limit limit = bucket(1, 1s, 5);
  State state;
  std::ifstream table(SLUICE_TEST_CASES "/throttle.tsv");
  ASSERT_TRUE(table) << SLUICE_TEST_CASES;
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.front() == '#') continue;
    SCOPED_TRACE(line);
    std::string at_s;
    std::string reset_s;
    std::string retry_s;
    std::int64_t cost = 0;
    std::int64_t remaining = 0;
    int limited = 0;
    std::istringstream(line) >> at_s >> cost >> remaining >> reset_s >> retry_s >> limited;

    const Verdict verdict = take(limit, state, kDay + seconds_of(at_s), cost);
    EXPECT_EQ(verdict.allowed, limited == 0);
    EXPECT_EQ(verdict.remaining, remaining);
    EXPECT_EQ(verdict.reset_after, seconds_of(reset_s));
    // The table writes −1 both for "allowed" and for "never".
    const Duration none = limited == 0 ? Duration::zero() : kNever;
    EXPECT_EQ(verdict.retry_after, retry_s == "-1" ? none : seconds_of(retry_s));
    ++rows;
  }
  EXPECT_EQ(rows, 16);
}

}  // namespace
}  // namespace sluice::limiter
