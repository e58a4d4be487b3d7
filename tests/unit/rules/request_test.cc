// Aim: a request's descriptors are prepared once: the first of a repeated name, addresses parsed where they
// should be. Method: small requests, and one above the protocols' bound, which must still work.
#include "rules/request.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/hash.h"
#include "rules/descriptor.h"

namespace sluice::rules {
namespace {

const std::vector<std::string> kAddressNames{"ip", "client"};

TEST(Request, FirstOfARepeatedNameCounts) {
  const std::vector<Descriptor> descriptors{{"user", "1"}, {"ip", "10.0.0.1"}, {"user", "2"}, {"user", "3"}};
  const Request request(descriptors, kAddressNames);
  ASSERT_EQ(request.values().size(), 2U);
  EXPECT_EQ(request.find("user")->text(), "1");
  EXPECT_EQ(request.find("none"), nullptr);
}

TEST(Request, KindsFollowTheNames) {
  const std::vector<Descriptor> descriptors{
      {"client", "::ffff:10.0.0.1"}, {"user", "10.0.0.1"}, {"ip", "here"}};
  const Request request(descriptors, kAddressNames);
  EXPECT_EQ(request.find("client")->address()->text(), "10.0.0.1");
  EXPECT_FALSE(request.find("user")->address());
  EXPECT_EQ(request.find("user")->exact_form(), "10.0.0.1");
  EXPECT_FALSE(request.find("ip")->address());
  EXPECT_EQ(request.find("ip")->kind(), ValueKind::address);
  EXPECT_FALSE(request.find("ip")->exact_form());
}

TEST(Request, DigestIsOfTheText) {
  const std::vector<Descriptor> descriptors{{"token", "hunter2"}};
  const Request request(descriptors, kAddressNames);
  EXPECT_EQ(request.find("token")->digest(), sha256("hunter2"));
  EXPECT_EQ(request.find("token")->digest(), sha256("hunter2"));
}

TEST(Request, MoreThanTheProtocolsAllowStillWork) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 3 * kMaxDescriptors; ++i) names.push_back("d" + std::to_string(i));
  std::vector<Descriptor> descriptors;
  for (const std::string& name : names) descriptors.push_back({name, name});
  const Request request(descriptors, kAddressNames);
  EXPECT_EQ(request.values().size(), names.size());
  EXPECT_EQ(request.find(names.back())->text(), names.back());
}

TEST(Request, EmptyOne) {
  const Request request({}, kAddressNames);
  EXPECT_TRUE(request.values().empty());
  EXPECT_EQ(request.find(""), nullptr);
}

}  // namespace
}  // namespace sluice::rules
