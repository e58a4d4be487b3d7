// Aim: queries and percent-encoding are decoded as browsers and curl write them, and malformed escapes
// refused. Method: tables.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/http1/response_writer.h"

namespace sluice::wire::http1 {
namespace {

using namespace std::string_literals;

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Http1Query, percent_decode) {
  const std::vector<std::pair<std::string_view, std::string>> rows{
      {"", ""},
      {"plain", "plain"},
      {"a+b", "a+b"},
      {"%41%62", "Ab"},
      {"%2f%2F", "//"},
      {"%25", "%"},
      {"%2541", "%41"},  // decoded once
      {"caf%C3%A9", "caf\xc3\xa9"},
      {"caf\xc3\xa9", "caf\xc3\xa9"},
      {"%00x%0d%0A%fF", "\0x\r\n\xff"s},
  };
  for (const auto& [text, expected] : rows) {
    std::string out = "before";
    EXPECT_TRUE(percent_decode(text, out)) << text;
    EXPECT_EQ(out, expected) << text;
  }
  for (const std::string_view text : {"%", "a%", "%4", "a%4", "%4g", "%g4", "%%41", "% 1", "%+1", "%-1"}) {
    std::string out = "before";
    EXPECT_FALSE(percent_decode(text, out)) << text;
    EXPECT_EQ(out, "") << text;
  }
}

TEST(Http1Query, pairs) {
  const std::vector<std::pair<std::string_view, Pairs>> rows{
      {"", {}},
      {"user=1", {{"user", "1"}}},
      {"user=1&cost=2&user=3", {{"user", "1"}, {"cost", "2"}, {"user", "3"}}},
      {"a", {{"a", ""}}},
      {"a=", {{"a", ""}}},
      {"=b", {{"", "b"}}},
      {"=", {{"", ""}}},
      {"&a=1&&b=2&", {{"a", "1"}, {"b", "2"}}},
      {"a=b=c==", {{"a", "b=c=="}}},
      {"a+b=c+d", {{"a b", "c d"}}},
      {"a%2Bb=c%2Bd", {{"a+b", "c+d"}}},
      {"a%3Db=c%26d", {{"a=b", "c&d"}}},
      {"path=/a/b?c;d", {{"path", "/a/b?c;d"}}},
      {"u=%E2%82%AC", {{"u", "\xe2\x82\xac"}}},
  };
  for (const auto& [query, expected] : rows) {
    Pairs out{{"before", ""}};
    EXPECT_TRUE(parse_query(query, out)) << query;
    EXPECT_EQ(out, expected) << query;
  }
  for (const std::string_view query : {"%", "a=%", "a=%zz", "%4=1", "a=1&b=%4", "a=1&%=2", "a%&41=1"}) {
    Pairs out{{"before", ""}};
    EXPECT_FALSE(parse_query(query, out)) << query;
    EXPECT_TRUE(out.empty()) << query;
  }
}

}  // namespace
}  // namespace sluice::wire::http1
