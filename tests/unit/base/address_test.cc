// Aim: addresses are told apart by their bits, however they are spelt, and CIDR blocks hold exactly their
// range. Method: tables of spellings and of block edges; blocks are also checked against shifting the bits of
// random IPv4 addresses.
#include "base/address.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace sluice {
namespace {

/// For texts that are one.
Address address(std::string_view text) {
  const auto parsed = Address::parse(text);
  if (!parsed) ADD_FAILURE() << text;
  return parsed.value_or(parse_cidr("0.0.0.0/0").value().network);
}

std::string parsed(std::string_view text) {
  const auto found = Address::parse(text);
  return found ? found->text() : "none";
}

std::string cidr(std::string_view text) {
  const auto block = parse_cidr(text);
  return block ? block->network.text() + "/" + std::to_string(block->prefix) : "none";
}

bool contains(std::string_view block, std::string_view host) {
  return parse_cidr(block).value().contains(address(host));
}

std::string dotted(std::uint32_t bits) {
  return std::to_string(bits >> 24U) + "." + std::to_string((bits >> 16U) & 255U) + "." +
         std::to_string((bits >> 8U) & 255U) + "." + std::to_string(bits & 255U);
}

TEST(Address, OneFormForAllSpellings) {
  EXPECT_EQ(parsed("203.0.113.5"), "203.0.113.5");
  EXPECT_EQ(parsed("::ffff:203.0.113.5"), "203.0.113.5");
  EXPECT_EQ(parsed("::FFFF:cb00:7105"), "203.0.113.5");
  EXPECT_EQ(parsed("0:0:0:0:0:ffff:cb00:7105"), "203.0.113.5");
  EXPECT_EQ(parsed("2001:DB8:0:0::1"), "2001:db8::1");
  EXPECT_EQ(parsed("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(parsed("::ffff:10.0.0.1%1"), "10.0.0.1");
  EXPECT_EQ(address("::ffff:10.0.0.1"), address("10.0.0.1"));
}

TEST(Address, OtherEmbeddedFormsStayIpv6) {
  EXPECT_EQ(address("64:ff9b::203.0.113.5").kind(), Address::Kind::ipv6);
  EXPECT_EQ(address("::1.2.3.4").kind(), Address::Kind::ipv6);
  EXPECT_EQ(address("::fffe:1.2.3.4").kind(), Address::Kind::ipv6);
  EXPECT_EQ(address("1::ffff:1.2.3.4").kind(), Address::Kind::ipv6);
}

TEST(Address, RefusesWhatIsNone) {
  for (const std::string_view text :
       {"", " ", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "1.2.3.4:80", "[::1]",
        "::g", "1.2.3.4%eth0", "fe80::1%", "%eth0", "%", "localhost", "10.0.0.0/8", "1:2:3:4:5:6:7:8:9"}) {
    EXPECT_EQ(parsed(text), "none") << text;
  }
  EXPECT_EQ(parsed(std::string_view("1.2.3.4\0", 8)), "none");
  EXPECT_EQ(parsed(std::string_view("1.2.3.4\0junk", 12)), "none");
  EXPECT_EQ(parsed(std::string(65536, '1')), "none");
  EXPECT_EQ(parsed("\xff\xfe"), "none");
}

TEST(Address, MasksAtEveryBit) {
  const Address all = address("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  EXPECT_EQ(all.masked(0).text(), "::");
  EXPECT_EQ(all.masked(1).text(), "8000::");
  EXPECT_EQ(all.masked(56).text(), "ffff:ffff:ffff:ff00::");
  EXPECT_EQ(all.masked(63).text(), "ffff:ffff:ffff:fffe::");
  EXPECT_EQ(all.masked(64).text(), "ffff:ffff:ffff:ffff::");
  EXPECT_EQ(all.masked(127).text(), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe");
  EXPECT_EQ(all.masked(128), all);
}

TEST(Address, FormsDifferBetweenKinds) {
  EXPECT_EQ(address("49.50.51.52").form(), "41234");
  EXPECT_EQ(address("::").form(), std::string("6") + std::string(16, '\0'));
}

TEST(Cidr, Edges) {
  EXPECT_TRUE(contains("0.0.0.0/0", "255.255.255.255"));
  EXPECT_TRUE(contains("10.0.0.0/8", "10.255.255.255"));
  EXPECT_FALSE(contains("10.0.0.0/8", "11.0.0.0"));
  EXPECT_FALSE(contains("10.0.0.0/8", "9.255.255.255"));
  EXPECT_TRUE(contains("10.1.2.3/32", "10.1.2.3"));
  EXPECT_FALSE(contains("10.1.2.3/32", "10.1.2.2"));
  EXPECT_TRUE(contains("10.1.2.2/31", "10.1.2.3"));
  EXPECT_TRUE(contains("::/0", "2001:db8::1"));
  EXPECT_TRUE(contains("2001:db8::/32", "2001:db8:ffff::1"));
  EXPECT_FALSE(contains("2001:db8::/32", "2001:db9::"));
  EXPECT_TRUE(contains("2001:db8::1/128", "2001:db8::1"));
  EXPECT_FALSE(contains("2001:db8::1/128", "2001:db8::2"));
  EXPECT_TRUE(contains("2001:db8::1", "2001:db8::1"));
}

TEST(Cidr, KindsDoNotMix) {
  EXPECT_FALSE(contains("::/0", "10.0.0.1"));
  EXPECT_FALSE(contains("::/0", "::ffff:10.0.0.1"));
  EXPECT_FALSE(contains("0.0.0.0/0", "::1"));
  EXPECT_TRUE(contains("0.0.0.0/0", "::ffff:10.0.0.1"));
}

TEST(Cidr, MappedBlocksAreIpv4) {
  EXPECT_EQ(cidr("::ffff:10.0.0.0/104"), "10.0.0.0/8");
  EXPECT_EQ(cidr("::ffff:0:0/96"), "0.0.0.0/0");
  EXPECT_EQ(cidr("::ffff:10.1.2.3"), "10.1.2.3/32");
  EXPECT_EQ(cidr("::/64"), "::/64");
}

TEST(Cidr, NamesTheNetworkThatWasMeant) {
  EXPECT_NE(parse_cidr("10.1.2.3/8").error().message.find("10.0.0.0/8"), std::string::npos);
  EXPECT_NE(parse_cidr("2001:db8::1/64").error().message.find("2001:db8::/64"), std::string::npos);
  EXPECT_NE(parse_cidr("0.0.0.1/0").error().message.find("0.0.0.0/0"), std::string::npos);
}

TEST(Cidr, RefusesMalformedOnes) {
  for (const std::string_view text :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-0", "10.0.0.0/+8", "10.0.0.0/08",
        "10.0.0.0/8/8", "10.0.0.0/ 8", "::/129", "10.0/8", "10.*", "fe80::%eth0/64", "::1%eth0",
        "10.0.0.0/99999999999999999999"}) {
    EXPECT_EQ(cidr(text), "none") << text;
  }
}

TEST(Cidr, AgreesWithShifting) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const int prefix = static_cast<int>(random() % 33);
    const std::uint32_t mask = prefix == 0 ? 0 : ~std::uint32_t{0} << static_cast<unsigned>(32 - prefix);
    const auto network = static_cast<std::uint32_t>(random()) & mask;
    // Half of the addresses differ from the network in one bit only, so that both answers are frequent.
    const auto other = i % 2 == 0 ? static_cast<std::uint32_t>(random()) : network ^ (1U << (random() % 32));
    const std::string block = dotted(network) + "/" + std::to_string(prefix);
    ASSERT_EQ(contains(block, dotted(other)), (other & mask) == network) << block << " " << dotted(other);
  }
}

}  // namespace
}  // namespace sluice
