// Aim: questions are read strictly, and faults tell what would be right. Method: tables.
#include "server/http_question.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::server {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST(Query, DescriptorsAndCost) {
  const auto question = question_of_query("user=a%20b&cost=3&path=%2Fx+y&empty=");
  ASSERT_TRUE(question);
  EXPECT_EQ(question->descriptors, (Pairs{{"user", "a b"}, {"path", "/x y"}, {"empty", ""}}));
  EXPECT_EQ(question->cost, 3);
}

TEST(Query, Faults) {
  const std::vector<std::pair<std::string_view, std::string_view>> cases{
      {"", "at least one descriptor"},
      {"cost=1", "at least one descriptor"},
      {"user=%zz", "malformed percent escape"},
      {"user=1&user=2", "given twice"},
      {"user=1&cost=-1", "\"cost\" must be"},
      {"user=1&cost=x", "\"cost\" must be"},
      {"user=1&cost=9007199254740992", "\"cost\" must be"},
      {"user=1&cost=1&cost=2", "\"cost\" must be"},
      {"=1", "no name"}};
  for (const auto& [query, fault] : cases) {
    const auto question = question_of_query(query);
    ASSERT_FALSE(question) << query;
    EXPECT_NE(question.error().find(fault), std::string::npos) << question.error();
  }
}

TEST(JsonBody, OneQuestion) {
  const auto body = questions_of_body(R"({"descriptors": {"user": "1", "tenant": 7}, "cost": 2})");
  ASSERT_TRUE(body);
  EXPECT_FALSE(body->batch);
  EXPECT_EQ(body->questions[0].descriptors, (Pairs{{"user", "1"}, {"tenant", "7"}}));
  EXPECT_EQ(body->questions[0].cost, 2);
}

TEST(JsonBody, ABatch) {
  const auto body = questions_of_body(
      R"({"checks": [{"descriptors": {"a": "1"}}, {"descriptors": {"b": "2"}, "cost": 0}]})");
  ASSERT_TRUE(body);
  EXPECT_TRUE(body->batch);
  ASSERT_EQ(body->questions.size(), 2U);
  EXPECT_EQ(body->questions[1].cost, 0);
}

TEST(JsonBody, Faults) {
  std::string many = R"({"checks": [)";
  for (int i = 0; i < 101; ++i) many += std::string(i == 0 ? "" : ",") + R"({"descriptors": {"a": "1"}})";
  many += "]}";
  std::string deep(1000, '[');
  const std::vector<std::pair<std::string, std::string_view>> cases{
      {"", "not JSON"},
      {"{", "not JSON"},
      {"[]", "must be a JSON object"},
      {"{}", "at least one descriptor"},
      {deep, "not JSON"},
      {R"({"descriptors": []})", "must be an object"},
      {R"({"descriptors": {"a": 1.5}})", "string or an integer"},
      {R"({"descriptors": {"a": null}})", "string or an integer"},
      {R"({"descriptors": {"a": "1"}, "cost": "1"})", "\"cost\" must be"},
      {R"({"descriptors": {"a": "1"}, "cost": 1.0})", "\"cost\" must be"},
      {R"({"descriptors": {"a": "1"}, "cost": -1})", "\"cost\" must be"},
      {R"({"descriptors": {"a": "1"}, "kost": 1})", "unknown member \"kost\""},
      {R"({"descriptors": {"": "1"}})", "no name"},
      {R"({"checks": []})", "1 to 100"},
      {many, "1 to 100"},
      {R"({"checks": [1]})", "checks[0]: must be an object"},
      {R"({"checks": [{"descriptors": {"a": "1"}}, {}]})", "checks[1]: at least one"},
      {R"({"checks": [], "cost": 1})", "stands alone"}};
  for (const auto& [text, fault] : cases) {
    const auto body = questions_of_body(text);
    ASSERT_FALSE(body) << text.substr(0, 80);
    EXPECT_NE(body.error().find(fault), std::string::npos) << body.error();
  }
}

}  // namespace
}  // namespace sluice::server
