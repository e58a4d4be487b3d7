// Aim: different values never give one key, equal ones always do, and keys stay short.
// Method: 200,000 random pairs of value tuples over bytes that naive joins trip over, half of them made
// nearly equal; lengths on both sides of the hashing bound; 64 KiB values; tables of addresses.
#include "rules/key.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "rules/descriptor.h"
#include "rules/policy.h"
#include "rules/request.h"
#include "unit/rules/policies.h"

namespace sluice::rules {
namespace {

using namespace std::string_view_literals;
using Tuple = std::array<std::string, 3>;

const std::vector<std::string> kAddressNames{"ip"};

std::string key_of(const Tuple& values) {
  const KeyPlan plan{"r", {{"a"}, {"ip"}, {"c"}}, 64};
  const std::vector<Descriptor> descriptors{{"c", values[2]}, {"a", values[0]}, {"ip", values[1]}};
  std::string key;
  encode_key(plan, Request(descriptors, kAddressNames), key);
  return key;
}

std::string nasty(std::mt19937& random) {
  static constexpr std::string_view kBytes(" =_:/#tx46s0123456789\n\0\xff", 24);
  // Lengths near 0, near a change of the number of digits, and near the bound of hashing.
  static constexpr std::array<std::size_t, 8> kLengths{0, 0, 1, 2, 3, 9, 10, 32};
  std::string out;
  for (auto left = kLengths.at(random() % kLengths.size()); left > 0; --left)
    out += kBytes[random() % kBytes.size()];
  return out;
}

/// The same bytes with the borders between the values moved: what a naive join cannot tell apart.
Tuple with_moved_borders(const Tuple& tuple, std::mt19937& random) {
  const std::string joined = tuple[0] + tuple[1] + tuple[2];
  const std::size_t first = random() % (joined.size() + 1);
  const std::size_t second = first + random() % (joined.size() - first + 1);
  return {joined.substr(0, first), joined.substr(first, second - first), joined.substr(second)};
}

TEST(Key, NeverEqualUnlessTheValuesAre) {
  std::mt19937 random(5);
  int equal = 0;
  for (int i = 0; i < 200000; ++i) {
    const Tuple a{nasty(random), nasty(random), nasty(random)};
    const Tuple b = i % 2 == 0 ? with_moved_borders(a, random) : Tuple{a[0], nasty(random), a[2]};
    ASSERT_EQ(key_of(a) == key_of(b), a == b) << i;
    if (a == b) ++equal;
  }
  EXPECT_GT(equal, 1000);
}

TEST(Key, AValueThatLooksLikeAnEncodingIsStillAValue) {
  const Tuple plain{"x", "y", "z"};
  const std::string inner = key_of(plain).substr(2);
  EXPECT_NE(key_of({inner, "", ""}), key_of(plain));
  EXPECT_NE(key_of({"1:x", "y", "z"}), key_of(plain));
  EXPECT_NE(key_of({"a=b", "c", ""}), key_of({"a", "b=c", ""}));
  EXPECT_NE(key_of({"a", "49.50.51.52", "c"}), key_of({"a", "41234", "c"}));
}

TEST(Key, LengthsAroundTheHashingBound) {
  std::set<std::string> keys;
  for (std::size_t length = 0; length < 2 * kMaxPlainKey; ++length) {
    const std::string key = key_of({std::string(length, 'x'), "", ""});
    EXPECT_LE(key.size(), std::string_view("r/").size() + kMaxPlainKey);
    EXPECT_TRUE(keys.insert(key).second) << length;
  }
  // "x0:" and "t0:" follow, and "t90:" precedes.
  constexpr std::size_t kFrame = 3 + 3 + 4;
  EXPECT_EQ(key_of({std::string(kMaxPlainKey - kFrame, 'x'), "", ""})[2], 't');
  EXPECT_EQ(key_of({std::string(kMaxPlainKey - kFrame + 1, 'x'), "", ""})[2], '#');
}

TEST(Key, HashedKeysDifferFromPlainOnes) {
  const std::string hashed = key_of({std::string(200, 'x'), "", ""});
  EXPECT_EQ(hashed.size(), 2 + 1 + sizeof(Sha256));
  EXPECT_NE(key_of({hashed.substr(2), "", ""}), hashed);
}

TEST(Key, SixtyFourKibibytes) {
  const std::string a(65536, '\xff');
  std::string b = a;
  b.back() = '\xfe';
  EXPECT_EQ(key_of({a, "", ""}), key_of({a, "", ""}));
  EXPECT_NE(key_of({a, "", ""}), key_of({b, "", ""}));
  EXPECT_NE(key_of({a, "", ""}), key_of({"", a, ""}));
  EXPECT_NE(key_of({a, "", ""}), key_of({"", "", a}));
}

TEST(Key, LongValuesLeaveNoLargeMemoryBehind) {
  const KeyPlan plan{"r", {{"a"}}, 64};
  const std::string large(65536, 'x');
  const std::vector<Descriptor> descriptors{{"a", large}};
  std::string key;
  encode_key(plan, Request(descriptors, kAddressNames), key);
  EXPECT_LT(key.capacity(), 2 * kMaxKeyBytes);
}

TEST(Key, LongestFitsTheBound) {
  const KeyPlan plan{std::string(64, 'n'), {{"a"}}, 64};
  for (const std::size_t length : {kMaxPlainKey - 4, kMaxPlainKey, std::size_t{1000}}) {
    const std::string value(length, 'x');
    const std::vector<Descriptor> descriptors{{"a", value}};
    std::string key;
    encode_key(plan, Request(descriptors, kAddressNames), key);
    EXPECT_LE(key.size(), kMaxKeyBytes);
  }
}

TEST(Key, AddressesByTheirBits) {
  const auto ip = [](std::string_view value) { return key_of({"", std::string(value), ""}); };
  EXPECT_EQ(ip("10.0.0.1"), ip("::ffff:10.0.0.1"));
  EXPECT_NE(ip("10.0.0.1"), ip("10.0.0.2"));
  EXPECT_EQ(ip("2001:db8::1"), ip("2001:db8:0:0:ffff::"));
  EXPECT_EQ(ip("2001:db8::1%eth0"), ip("2001:0db8::2%eth1"));
  EXPECT_NE(ip("2001:db8:0:1::"), ip("2001:db8:0:2::"));
  EXPECT_NE(ip("64:ff9b::10.0.0.1"), ip("10.0.0.1"));
  EXPECT_NE(ip("::"), ip("0.0.0.0"));
}

TEST(Key, SpellingNeverDecidesWhetherAKeyIsHashed) {
  KeyPlan plan{"r", {}, 128};
  const std::vector<std::string> names{"ip0", "ip1", "ip2", "ip3", "ip4"};
  std::vector<Descriptor> brief;
  std::vector<Descriptor> full;
  for (const std::string& name : names) {
    plan.parts.push_back({name});
    brief.push_back({name, "::1"});
    full.push_back({name, "0000:0000:0000:0000:0000:0000:0000:0001"});
  }
  std::string a;
  std::string b;
  encode_key(plan, Request(brief, names), a);
  encode_key(plan, Request(full, names), b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a[2], '6');
}

TEST(Key, SecretsAreKeyedByDigest) {
  const std::string digest = "sha256:" + to_hex(sha256("hunter2"));
  const auto policy =
      testing::compiled(testing::policy_of({testing::rule_of("r", {{"token", {digest, "guest-*"}}})}));
  const std::string secret = testing::only_key(*policy, {{"token", "hunter2"}});
  const std::string guest = testing::only_key(*policy, {{"token", "guest-1"}});
  EXPECT_EQ(secret.find("hunter2"), std::string::npos);
  EXPECT_EQ(guest.find("guest-1"), std::string::npos);
  EXPECT_NE(secret, guest);
  EXPECT_NE(guest, testing::only_key(*policy, {{"token", "guest-2"}}));
}

TEST(Key, RulesNeverShareAKey) {
  // No rule's name is followed by a separator that may stand in a name.
  const auto policy = testing::compiled(
      testing::policy_of({testing::rule_of("a", {{"x", {"*"}}}), testing::rule_of("a:", {{"x", {"*"}}}),
                          testing::rule_of("a:t1", {{"x", {"*"}}}), testing::rule_of("a.b", {})}));
  const MatchResult result = testing::matched(*policy, {{"x", "1"}});
  std::set<std::string> keys;
  for (const Match& match : result.matches) keys.insert(match.key);
  EXPECT_EQ(keys.size(), 4U);
}

TEST(KeyDescription, ForPeople) {
  const KeyPlan plan{"r", {{"user"}, {"ip"}}, 64};
  const auto describe = [&](std::string_view user, std::string_view ip,
                            const std::vector<std::string>& secrets = {}) {
    const std::vector<Descriptor> descriptors{{"user", user}, {"ip", ip}};
    return describe_key(plan, Request(descriptors, kAddressNames), secrets);
  };
  EXPECT_EQ(describe("7", "::ffff:10.0.0.1"), "r{user=\"7\", ip=10.0.0.1}");
  EXPECT_EQ(describe("a\n", "2001:db8::5"), "r{user=\"a\\x0a\", ip=2001:db8::/64}");
  EXPECT_EQ(describe("7", "here"), "r{user=\"7\", ip=\"here\"}");
  EXPECT_EQ(describe("hunter2", "::1", {"user"}), "r{user=<hidden>, ip=::/64}");
  EXPECT_EQ(describe_key(KeyPlan{"r", {}, 64}, Request({}, kAddressNames), {}), "r");
  EXPECT_LT(describe(std::string(65536, 'x'), "").size(), 200U);
}

}  // namespace
}  // namespace sluice::rules
