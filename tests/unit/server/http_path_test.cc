// Aim: spellings of one path are one path, and what is no path stays what it is. Method: a table.
#include "server/http_path.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::server {
namespace {

TEST(NormalPath, HasOneSpelling) {
  const std::vector<std::pair<std::string_view, std::string>> cases{
      {"/users/7/orders", "/users/7/orders"},
      {"/users/7/%6frders?page=2", "/users/7/orders"},
      {"//users///7/orders/", "/users/7/orders"},
      {"/users/./7/x/../orders", "/users/7/orders"},
      {"/users/%2e%2E/users/7/orders", "/users/7/orders"},
      {"/../../health", "/health"},
      {"/", "/"},
      {"/?a=/b", "/"},
      {"/..", "/"},
      {"/a%2Fb/%2f", "/a%2Fb/%2F"},
      {"/a%252Fb", "/a%2Fb"},
      {"/caf%C3%A9", "/caf\xC3\xA9"},
      {"/health#x", "/health#x"},
      {"/health%23x", "/health#x"},
      {"/bad%zz/../x", "/bad%zz/../x"},
      {"*", "*"},
      {"", ""},
      {"?x", ""},
  };
  for (const auto& [target, path] : cases) EXPECT_EQ(normal_path(target), path) << target;
}

}  // namespace
}  // namespace sluice::server
