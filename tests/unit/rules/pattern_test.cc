// Aim: each kind of pattern matches what it should, in lists too, and malformed ones are refused with a hint.
// Method: tables of (patterns, value) for text, address and secret values.
#include "rules/pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "rules/descriptor.h"
#include "rules/glob.h"
#include "rules/request.h"
#include "rules/spec.h"

namespace sluice::rules {
namespace {

using namespace std::string_view_literals;
using List = std::vector<std::string>;

bool matches(const List& patterns, std::string_view value, ValueKind kind = ValueKind::text) {
  const auto matcher = DescriptorMatcher::compile(MatchSpec{"d", patterns}, kind).value();
  return matcher.find(Value(Descriptor{"d", value}, kind)).has_value();
}

bool matches_address(const List& patterns, std::string_view value) {
  return matches(patterns, value, ValueKind::address);
}

std::string refusal(const List& patterns, ValueKind kind = ValueKind::text) {
  const auto matcher = DescriptorMatcher::compile(MatchSpec{"d", patterns}, kind);
  return matcher ? "accepted" : matcher.error().message;
}

std::string secret(std::string_view value) {
  return "sha256:" + to_hex(sha256(value));
}

TEST(TextPattern, ExactGlobAndList) {
  EXPECT_TRUE(matches({"a"}, "a"));
  EXPECT_FALSE(matches({"a"}, "A"));
  EXPECT_FALSE(matches({"a"}, ""));
  EXPECT_TRUE(matches({""}, ""));
  EXPECT_TRUE(matches({"*"}, ""));
  EXPECT_TRUE(matches({"x", "vip-*", "y"}, "vip-1"));
  EXPECT_TRUE(matches({"x", "vip-*", "y"}, "y"));
  EXPECT_FALSE(matches({"x", "vip-*", "y"}, "z"));
  EXPECT_TRUE(matches({"\\*"}, "*"));
  EXPECT_FALSE(matches({"\\*"}, "x"));
}

TEST(TextPattern, AnyBytes) {
  for (const std::string_view value :
       {"a b"sv, "a=b"sv, "a_b=c"sv, "a\nb"sv, "\0"sv, "\xff\xc0\x80"sv, ""sv}) {
    EXPECT_TRUE(matches({std::string(value)}, value));
    EXPECT_TRUE(matches({"*"}, value));
    EXPECT_FALSE(matches({std::string(value) + "!"}, value));
  }
  const std::string large(65536, 'x');
  EXPECT_TRUE(matches({"*"}, large));
  EXPECT_TRUE(matches({"x*x"}, large));
  EXPECT_FALSE(matches({"x"}, large));
}

TEST(TextPattern, AddressLikeTextIsText) {
  EXPECT_FALSE(matches({"10.0.0.0/8"}, "10.0.0.1"));
  EXPECT_TRUE(matches({"10.*"}, "10.0.0.1"));
}

TEST(AddressPattern, ByBits) {
  EXPECT_TRUE(matches_address({"10.0.0.0/8"}, "10.2.3.4"));
  EXPECT_TRUE(matches_address({"10.0.0.0/8"}, "::ffff:10.2.3.4"));
  EXPECT_TRUE(matches_address({"10.0.0.0/8"}, "::ffff:0a02:0304"));
  EXPECT_FALSE(matches_address({"10.0.0.0/8"}, "64:ff9b::10.2.3.4"));
  EXPECT_TRUE(matches_address({"2001:db8::1"}, "2001:0DB8::0001"));
  EXPECT_TRUE(matches_address({"fe80::/10"}, "fe80::1%eth0"));
  EXPECT_TRUE(matches_address({"10.0.0.1"}, "::ffff:10.0.0.1"));
  EXPECT_TRUE(matches_address({"::ffff:10.0.0.1"}, "10.0.0.1"));
  EXPECT_TRUE(matches_address({"192.168.0.0/16", "10.0.0.1"}, "10.0.0.1"));
  EXPECT_FALSE(matches_address({"192.168.0.0/16", "10.0.0.1"}, "10.0.0.2"));
}

TEST(AddressPattern, BlocksUseTheWholeAddressNotItsGroup) {
  EXPECT_TRUE(matches_address({"2001:db8::8000:0:0:0/65"}, "2001:db8::8000:0:0:1"));
  EXPECT_FALSE(matches_address({"2001:db8::8000:0:0:0/65"}, "2001:db8::1"));
}

TEST(AddressPattern, OnlyTheStarMatchesWhatIsNoAddress) {
  for (const std::string_view value : {""sv, "unknown"sv, "10.0.0.1 "sv, "10.0.0.1\0"sv, "\xff"sv,
                                       "4\x0a\0\0\1"sv /* the inner form of 10.0.0.1 */}) {
    EXPECT_TRUE(matches_address({"*"}, value));
    EXPECT_FALSE(matches_address({"0.0.0.0/0", "::/0", "10.0.0.1"}, value));
  }
  EXPECT_FALSE(matches_address({"0.0.0.0/0"}, std::string(65536, '1')));
}

TEST(AddressPattern, RefusalsTeach) {
  const auto address = ValueKind::address;
  EXPECT_NE(refusal({"10.*"}, address).find("CIDR"), std::string::npos);
  EXPECT_NE(refusal({"10.0.0.?"}, address).find("CIDR"), std::string::npos);
  EXPECT_NE(refusal({"10.1.0.0/8"}, address).find("the network is 10.0.0.0/8"), std::string::npos);
  EXPECT_NE(refusal({"*", "office"}, address).find("not an address"), std::string::npos);
  EXPECT_NE(refusal({""}, address).find("not an address"), std::string::npos);
  EXPECT_NE(refusal({secret("x")}, address).find("not an address"), std::string::npos);
}

TEST(SecretPattern, ComparesTheDigest) {
  EXPECT_TRUE(matches({secret("hunter2")}, "hunter2"));
  EXPECT_FALSE(matches({secret("hunter2")}, "hunter3"));
  EXPECT_FALSE(matches({secret("hunter2")}, secret("hunter2")));
  EXPECT_TRUE(matches({secret("")}, ""));
  EXPECT_TRUE(matches({secret("a"), secret("b")}, "b"));
  const std::string large(65536, '\xff');
  EXPECT_TRUE(matches({secret(large)}, large));
}

TEST(SecretPattern, EitherCaseOfHex) {
  std::string upper = to_hex(sha256("hunter2"));
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  EXPECT_TRUE(matches({"sha256:" + upper}, "hunter2"));
}

TEST(SecretPattern, MalformedOnesAreRefusedUnseen) {
  const std::string hex = to_hex(sha256("x"));
  for (const std::string& tail :
       {std::string(), hex.substr(1), hex + "0", "g" + hex.substr(1), std::string("*")}) {
    const std::string message = refusal({"sha256:" + tail});
    EXPECT_NE(message.find("64 hexadecimal digits"), std::string::npos) << tail;
    if (tail.size() <= 8) continue;
    EXPECT_EQ(message.find(tail.substr(1, 8)), std::string::npos) << tail;
  }
  EXPECT_TRUE(matches({"\\sha256:x"}, "sha256:x"));
}

TEST(Matcher, RefusesEmptyListsAndBadGlobs) {
  EXPECT_NE(refusal({}).find("empty"), std::string::npos);
  EXPECT_NE(refusal({"a\\"}).find("backslash"), std::string::npos);
  EXPECT_NE(refusal({"ok", std::string(kMaxPatternBytes + 1, 'a')}).find("at most 256 bytes"),
            std::string::npos);
}

TEST(Matcher, KnowsWhenItIsExact) {
  const auto exact = DescriptorMatcher::compile(MatchSpec{"d", {"a", "b", "a"}}, ValueKind::text).value();
  ASSERT_NE(exact.exact_values(), nullptr);
  EXPECT_EQ(exact.exact_values()->size(), 2U);
  const auto mixed = DescriptorMatcher::compile(MatchSpec{"d", {"a", "b*"}}, ValueKind::text).value();
  EXPECT_EQ(mixed.exact_values(), nullptr);
  const auto hosts =
      DescriptorMatcher::compile(MatchSpec{"d", {"10.0.0.1", "::1"}}, ValueKind::address).value();
  EXPECT_NE(hosts.exact_values(), nullptr);
  const auto block = DescriptorMatcher::compile(MatchSpec{"d", {"10.0.0.0/31"}}, ValueKind::address).value();
  EXPECT_EQ(block.exact_values(), nullptr);
}

}  // namespace
}  // namespace sluice::rules
