// Aim: the port really bound is told, taken ports and bad addresses are refused with their cause, IPv6
// works.
//
// Method: always port 0.
#include <gtest/gtest.h>

#include <string>

#include "net/listen.h"
#include "net/uv_loop.h"
#include "unit/net/support.h"

namespace sluice::net {
namespace {

struct ListenTcpTest : testing::Test {
  UvLoop loop;
  Collector accepted;
};

TEST_F(ListenTcpTest, TellsThePortItGot) {
  const auto listener = listen_tcp(loop, "localhost:0", 16, accepted);
  ASSERT_TRUE(listener.has_value()) << listener.error().message;
  const std::string address = (*listener)->address();
  EXPECT_TRUE(address.starts_with("127.0.0.1:"));
  EXPECT_FALSE(address.ends_with(":0"));
  const Client client = connect_to(address);
  EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() == 1; }));
}

TEST_F(ListenTcpTest, SpeaksIpv6) {
  const auto listener = listen_tcp(loop, "[::1]:0", 16, accepted);
  if (!listener) GTEST_SKIP() << "no IPv6 here: " << listener.error().message;
  EXPECT_TRUE((*listener)->address().starts_with("[::1]:"));
  const Client client = connect_to((*listener)->address());
  EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() == 1; }));
  EXPECT_TRUE(accepted.streams[0]->peer().starts_with("[::1]:"));
}

TEST_F(ListenTcpTest, RefusesATakenPortAndFreesItAtTheEnd) {
  auto first = listen_tcp(loop, "127.0.0.1:0", 16, accepted);
  ASSERT_TRUE(first.has_value()) << first.error().message;
  const std::string address = (*first)->address();
  const auto second = listen_tcp(loop, address, 16, accepted);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().message,
            "cannot listen on " + address +
                ": bind: Address already in use; stop the program that uses it or choose "
                "another port");
  {
    // A connection that we close first keeps the port in TIME_WAIT, which must not matter.
    const Client client = connect_to(address);
    EXPECT_TRUE(run_until(loop, [&] { return accepted.streams.size() == 1; }));
    accepted.streams.clear();
  }
  first->reset();
  const auto third = listen_tcp(loop, address, 16, accepted);
  EXPECT_TRUE(third.has_value()) << third.error().message;
}

TEST_F(ListenTcpTest, RefusesWhatIsNoAddress) {
  const auto listener = listen_tcp(loop, "example.org:80", 16, accepted);
  ASSERT_FALSE(listener.has_value());
  EXPECT_NE(listener.error().message.find("example.org"), std::string::npos);
}

}  // namespace
}  // namespace sluice::net
