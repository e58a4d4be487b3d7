// Aim: the checks of the socket path and the TCP address accept what works and refuse the rest.
// Method: values on both sides of each boundary.
#include "config/checks.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace sluice::config {
namespace {

TEST(SocketPath, MayHave107Bytes) {
  const std::string longest = "/" + std::string(106, 'x');
  EXPECT_EQ(check_socket_path(longest), std::nullopt);
  EXPECT_EQ(check_socket_path(longest + "x"),
            "is 108 bytes long, but the path of a Unix socket can have at most 107");
}

TEST(SocketPath, CountsBytesNotCharacters) {
  const std::string path = "/" + std::string(100, 'x') + "äöü";  // 104 characters
  EXPECT_EQ(check_socket_path(path), std::nullopt);
  EXPECT_EQ(check_socket_path(path + "x"),
            "is 108 bytes long, but the path of a Unix socket can have at most 107");
}

TEST(SocketPath, MustBeAbsoluteAndWhole) {
  EXPECT_EQ(check_socket_path("sluice.sock"), "must be an absolute path, not \"sluice.sock\"");
  EXPECT_EQ(check_socket_path(""), "must be an absolute path, not \"\"");
  EXPECT_EQ(check_socket_path(std::string_view("/a\0b", 4)), "must not contain a NUL byte");
}

TEST(LoopbackAddress, Accepted) {
  for (const std::string_view address :
       {"127.0.0.1:7379", "127.255.255.255:1", "127.1.2.3:65535", "[::1]:7379", "localhost:0"}) {
    EXPECT_EQ(check_loopback_address(address), std::nullopt) << address;
  }
}

TEST(LoopbackAddress, OtherHostsAreRefused) {
  for (const std::string host :
       {"0.0.0.0", "10.0.0.1", "128.0.0.1", "[::]", "::1", "example.org", "", "localhost.", "127.0.0",
        "127.0.0.1.1", "127.0.0.256", "127.0.0.", "127..0.1", "127.0.0.+1", "127.0.0.-1", "127.0.0.1 "}) {
    EXPECT_EQ(check_loopback_address(host + ":7379"),
              "must name a loopback address (127.0.0.0/8, [::1] or localhost), not \"" + host +
                  "\": the protocols have no authentication");
  }
}

TEST(LoopbackAddress, PortIsNeeded) {
  for (const std::string address : {"localhost", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
                                    "127.0.0.1:http", "127.0.0.1:99999999999999999999", ""}) {
    EXPECT_EQ(check_loopback_address(address),
              "must be \"host:port\" such as \"127.0.0.1:7379\", not \"" + address + "\"");
  }
}

TEST(ListenAddress, IsAnAddressAndAPort) {
  for (const std::string_view address : {"127.0.0.1:9464", "0.0.0.0:0", "10.1.2.3:65535", "[::]:9464",
                                         "[2001:db8::1]:9464", "localhost:9464"}) {
    EXPECT_EQ(check_listen_address(address), std::nullopt) << address;
  }
  for (const std::string address :
       {"", "9464", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:9464", "[127.0.0.1]:9464",
        "[::1:9464", "example.org:9464", "[fe80::1%lo]:9464"}) {
    EXPECT_EQ(check_listen_address(address),
              "must be an IP address or localhost, and a port, such as \"127.0.0.1:9464\" or \"[::]:9464\", "
              "not \"" +
                  address + "\"");
  }
}

TEST(WebhookUrl, IsAnHttpUrlAndNeverShown) {
  EXPECT_EQ(check_webhook_url("https://hooks.example/T0/B1"), std::nullopt);
  EXPECT_EQ(check_webhook_url("hooks.example/T0/B1"), "must begin with http:// or https://");
  EXPECT_EQ(check_webhook_url("http://me:pw@a/"), "must not have a user and password before its host");
}

}  // namespace
}  // namespace sluice::config
