// Aim: a key is read back for people, without secrets, whatever bytes are in it. Method: keys of the real
// encoding, then every cut and many changed bytes of one, which must give a text or nothing, and never harm.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "rules/descriptor.h"
#include "rules/key.h"
#include "rules/request.h"

namespace sluice::rules {
namespace {

using namespace std::string_view_literals;

const std::vector<std::string> kAddressNames{"ip"};

std::string encoded(const KeyPlan& plan, const std::vector<Descriptor>& descriptors) {
  std::string key;
  encode_key(plan, Request(descriptors, kAddressNames), key);
  return key;
}

std::optional<std::string> text_of(const KeyPlan& plan, const std::vector<Descriptor>& descriptors,
                                   const std::vector<std::string>& secrets = {}) {
  return describe_encoded_key(plan, encoded(plan, descriptors), secrets);
}

TEST(KeyText, NamesEachValue) {
  const KeyPlan plan{"r", {{"user"}, {"ip"}}, 64};
  EXPECT_EQ(text_of(plan, {{"user", "7"}, {"ip", "203.0.113.5"}}), "user=7 ip=203.0.113.5");
  EXPECT_EQ(text_of(plan, {{"user", ""}, {"ip", "2001:db8::1"}}), "user= ip=2001:db8::/64");
  EXPECT_EQ(text_of(plan, {{"user", "a\n\0b"sv}, {"ip", "nowhere"}}), R"(user=a\x0a\x00b ip=nowhere)");
}

TEST(KeyText, SaysThatAllShareOne) {
  EXPECT_EQ(text_of({"r", {}, 64}, {}), "*");
}

TEST(KeyText, ShowsOnlyTheBeginningOfADigest) {
  const std::string digest = to_hex(sha256("secret")).substr(0, 8);
  EXPECT_EQ(text_of({"r", {{"api_key", KeyPart::Form::digest}}, 64}, {{"api_key", "secret"}}),
            "api_key=#" + digest);
  EXPECT_EQ(text_of({"r", {{"api_key"}}, 64}, {{"api_key", "secret"}}, {"api_key"}), "api_key=#" + digest);
  const auto longer = text_of({"r", {{"user"}}, 64}, {{"user", std::string(500, 'x')}});
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->size(), 9U);
  EXPECT_EQ(longer->front(), '#');
}

TEST(KeyText, RefusesWhatIsNoKeyOfTheRule) {
  const KeyPlan plan{"r", {{"user"}}, 64};
  for (const std::string_view key : {"", "r", "r/", "s/t1:7", "r/t1:77", "r/t2:7", "r/t-1:", "r/q", "r/t:7",
                                     "r/t9999999999999999999:7", "r/4abc", "r/sabc", "@cl:7"}) {
    EXPECT_FALSE(describe_encoded_key(plan, key, {})) << key;
  }
}

TEST(KeyText, StandsAnyBytes) {
  const KeyPlan plan{"r", {{"user"}, {"ip"}, {"api_key", KeyPart::Form::digest}}, 64};
  const std::string key = encoded(plan, {{"user", "seven"}, {"ip", "::1"}, {"api_key", "k"}});
  ASSERT_TRUE(describe_encoded_key(plan, key, {}));
  for (std::size_t size = 0; size < key.size(); ++size) {
    EXPECT_FALSE(describe_encoded_key(plan, std::string(key.substr(0, size)), {})) << size;
  }
  std::mt19937 random(3);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = key;
    changed[random() % changed.size()] = static_cast<char>(random());
    const auto text = describe_encoded_key(plan, changed, {});
    EXPECT_FALSE(text && text->contains('\n'));
  }
}

}  // namespace
}  // namespace sluice::rules
