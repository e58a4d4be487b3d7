// Aim: the first bytes decide the protocol, as soon as they can. Method: a table, and every prefix.
#include "server/sniff.h"

#include <gtest/gtest.h>

#include <string_view>

namespace sluice::server {
namespace {

TEST(Sniff, DecidesByTheFirstBytes) {
  EXPECT_EQ(sniff("*2\r\n$5\r\nCHECK"), Spoken::resp);
  EXPECT_EQ(sniff("PING\r\n"), Spoken::resp);
  EXPECT_EQ(sniff("CHECK user=1\r\n"), Spoken::resp);
  EXPECT_EQ(sniff("\r\n"), Spoken::resp);
  EXPECT_EQ(sniff("get /"), Spoken::resp) << "methods are upper case";
  EXPECT_EQ(sniff("GET /v1/check HTTP/1.1\r\n"), Spoken::http);
  EXPECT_EQ(sniff("TRACE /"), Spoken::http);
}

TEST(Sniff, WaitsWhileBothArePossible) {
  for (const std::string_view bytes : {"", "P", "PO", "POST", "C", "CO", "DELETE", "H", "HE"}) {
    EXPECT_EQ(sniff(bytes), Spoken::undecided) << bytes;
  }
  EXPECT_EQ(sniff("PI"), Spoken::resp);
  EXPECT_EQ(sniff("CH"), Spoken::resp);
  EXPECT_EQ(sniff("HEL"), Spoken::resp);
}

}  // namespace
}  // namespace sluice::server
