// Aim: what is accepted as an address, and what the refusal says.
//
// Method: a table each.
#include "net/socket_address.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>

namespace sluice::net {
namespace {

TEST(SocketAddressTest, ReadsAndWritesAddresses) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"127.0.0.1:7379", "127.0.0.1:7379"}, {"0.0.0.0:0", "0.0.0.0:0"},
      {"[::1]:65535", "[::1]:65535"},       {"[::]:1", "[::]:1"},
      {"localhost:80", "127.0.0.1:80"},     {"LocalHost:80", "127.0.0.1:80"},
  };
  for (const auto& [text, expected] : cases) {
    const auto address = SocketAddress::parse(text);
    ASSERT_TRUE(address.has_value()) << text << ": " << address.error().message;
    EXPECT_EQ(address->text(), expected);
  }
}

TEST(SocketAddressTest, SaysWhatIsWrong) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "has no port"},
      {"127.0.0.1", "has no port"},
      {"127.0.0.1:", "has no valid port"},
      {"127.0.0.1:65536", "has no valid port"},
      {"127.0.0.1:-1", "has no valid port"},
      {"127.0.0.1:8o", "has no valid port"},
      {"::1:80", "has no IP address"},
      {"[::1]", "has no valid port"},
      {"[127.0.0.1]:80", "has no IPv6 address"},
      {"[]:80", "has no IPv6 address"},
      {"127.1:80", "has no IP address"},
      {":80", "has no IP address"},
      {"example.org:80", "names are not looked up"},
      {"127.0.0.1\n:80", "\\x0a"},
      {std::string_view("127.0.0.1\0.1:80", 14), "zero byte"},
  };
  for (const auto& [text, expected] : cases) {
    const auto address = SocketAddress::parse(text);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_NE(address.error().message.find(expected), std::string_view::npos) << address.error().message;
  }
}

}  // namespace
}  // namespace sluice::net
