// Aim: what is written is JSON, whatever bytes are in it. Method: texts by hand.
#include "observe/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::observe {
namespace {

using namespace std::string_view_literals;

TEST(JsonWriter, NestsAndSeparates) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.number("a", std::uint64_t{1});
  json.begin_array("b");
  json.number({}, std::int64_t{-1});
  json.begin_object();
  json.end_object();
  json.text({}, "x");
  json.end_array();
  json.begin_object("c");
  json.boolean("d", true);
  json.null("e");
  json.end_object();
  json.raw("f", "[1]");
  json.end_object();
  EXPECT_EQ(out, R"({"a":1,"b":[-1,{},"x"],"c":{"d":true,"e":null},"f":[1]})");
}

TEST(JsonWriter, EscapesTexts) {
  std::string out;
  JsonWriter(out).text({}, "a\"b\\c\n\0\xff"sv);
  EXPECT_EQ(out, R"("a\"b\\c\\x0a\\x00\\xff")");
}

TEST(JsonWriter, HasNullForWhatIsNotKnown) {
  std::string out;
  JsonWriter json(out);
  json.begin_array();
  json.number({}, std::nan(""));
  json.number({}, 0.125);
  json.number_or_null({}, std::optional<double>{});
  json.text_or_null({}, std::nullopt);
  json.text_or_null({}, "x");
  json.end_array();
  EXPECT_EQ(out, R"([null,0.125,null,null,"x"])");
}

}  // namespace
}  // namespace sluice::observe
