// Aim: CL.THROTTLE agrees with the published table on every row, as redis-cell rounds: whole seconds, up.
// Method: the rows of tests/cases/throttle.tsv over the wire, on virtual time.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "base/time.h"
#include "unit/server/fixture.h"

namespace sluice::server {
namespace {

struct Row {
  double at_s = 0;
  std::int64_t cost = 0;
  std::int64_t remaining = 0;
  double reset_s = 0;
  double retry_s = 0;
  int limited = 0;
};

TEST(ThrottleTable, EveryRow) {
  std::ifstream file(std::string(SLUICE_CASES) + "/throttle.tsv");
  ASSERT_TRUE(file);
  test::ServerRig rig;
  Duration passed{};
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    Row row;
    std::istringstream(line) >> row.at_s >> row.cost >> row.remaining >> row.reset_s >> row.retry_s >>
        row.limited;
    const Duration at = std::chrono::milliseconds(std::llround(row.at_s * 1000));
    rig.loop.advance(at - passed);
    passed = at;
    std::ostringstream expected;
    expected << "*5\r\n:" << row.limited << "\r\n:5\r\n:" << row.remaining
             << "\r\n:" << std::ceil(row.retry_s) << "\r\n:" << std::ceil(row.reset_s) << "\r\n";
    const std::string cost = std::to_string(row.cost);
    EXPECT_EQ(rig.ask({"CL.THROTTLE", "key", "4", "1", "1", cost}), expected.str()) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 16);
}

}  // namespace
}  // namespace sluice::server
