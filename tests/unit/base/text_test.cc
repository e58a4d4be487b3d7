// Aim: numbers are read strictly, suggestions help, and no raw byte reaches a log. Method: tables.
#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <string_view>

namespace sluice {
namespace {

TEST(ParseInt, TakesDecimalIntegersOnly) {
  EXPECT_EQ(parse_int("0"), 0);
  EXPECT_EQ(parse_int("-12"), -12);
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x10", "9223372036854775808", "--1"}) {
    EXPECT_EQ(parse_int(text), std::nullopt) << text;
  }
}

TEST(DidYouMean, SuggestsTheNearestNameOnlyIfItIsNear) {
  constexpr std::array<std::string_view, 3> kNames{"algorithm", "limit", "burst"};
  EXPECT_EQ(nearest("algoritm", kNames), "algorithm");
  EXPECT_EQ(nearest("LIMIT", kNames), "limit");
  EXPECT_EQ(nearest("brust", kNames), "burst");
  EXPECT_EQ(nearest("timezone", kNames), "");
  EXPECT_EQ(did_you_mean("limt", kNames), "; did you mean \"limit\"?");
  EXPECT_EQ(did_you_mean("something else", kNames), "");
}

TEST(Printable, EscapesWhatIsNotPlainText) {
  EXPECT_EQ(printable("a b=c"), "a b=c");
  EXPECT_EQ(printable(std::string_view("\0\n\xff", 3)), "\\x00\\x0a\\xff");
  EXPECT_EQ(printable("abcdef", 3), "abc…");
}

TEST(EqualsIgnoringCase, IsAsciiAndWhole) {
  EXPECT_TRUE(equals_ignoring_case("Check", "CHECK"));
  EXPECT_FALSE(equals_ignoring_case("CHECKS", "CHECK"));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
}

}  // namespace
}  // namespace sluice
