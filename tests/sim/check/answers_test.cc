// Aim: AnswerBook accepts one answer to each request, in order and in time, and reports all else with times
// and the request, once.
// Method: short conversations, a nanosecond on either side of the bound.
#include "sim/check/answers.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

/// 0 for none: no request here has that tag.
std::uint64_t tag_of(const std::optional<AnswerBook::Request>& request) {
  return request.value_or(AnswerBook::Request{}).tag;
}

class AnswerBookTest : public testing::Test {
 protected:
  AnswerBook book_{100ms, 10ms};
};

TEST_F(AnswerBookTest, AcceptsOneAnswerEachInOrderAndInTime) {
  book_.sent(1s, 7, "CHECK a");
  book_.sent(1s, 8, "CHECK b");
  EXPECT_EQ(tag_of(book_.answered(1s + 50ms, "yes")), 7U);
  EXPECT_EQ(tag_of(book_.answered(1s + 110ms, 8, "no")), 8U);
  book_.check(9s);
  book_.closed(9s);
  EXPECT_EQ(book_.violations(), 0U);
  EXPECT_EQ(book_.answers(), 2U);
  EXPECT_EQ(book_.lost(), 0U);
}

TEST_F(AnswerBookTest, FindsALateAnswer) {
  book_.sent(1s, 7, "CHECK a");
  book_.answered(1s + 110ms + 1ns, "yes");
  ASSERT_EQ(book_.violations(), 1U);
  EXPECT_EQ(book_.texts().front(),
            "answer \"yes\" at 1.110 s is late, to request 7 \"CHECK a\", sent at 1.000 s, due by 1.110 s");
}

TEST_F(AnswerBookTest, FindsAnAnswerThatNeverComesOnce) {
  book_.sent(1s, 7, "CHECK a");
  book_.check(1s + 110ms);
  EXPECT_EQ(book_.violations(), 0U);
  book_.check(2s);
  book_.check(3s);
  book_.answered(4s, "yes");
  ASSERT_EQ(book_.violations(), 1U);
  EXPECT_EQ(book_.texts().front(),
            "no answer by 2.000 s to request 7 \"CHECK a\", sent at 1.000 s, due by 1.110 s");
}

TEST_F(AnswerBookTest, FindsAnAnswerWithoutARequest) {
  book_.sent(1s, 7, "CHECK a");
  book_.answered(1s, "yes");
  EXPECT_FALSE(book_.answered(1s + 1ms, "yes"));
  EXPECT_FALSE(book_.answered(1s + 1ms, 7, "yes"));
  ASSERT_EQ(book_.texts().size(), 2U);
  EXPECT_EQ(book_.texts()[0], "answer \"yes\" at 1.001 s to no request");
  EXPECT_EQ(book_.texts()[1], "answer \"yes\" at 1.001 s to request 7, which is not outstanding");
}

TEST_F(AnswerBookTest, FindsAnswersThatChangePlaces) {
  book_.sent(1s, 7, "CHECK a");
  book_.sent(1s, 8, "CHECK b");
  EXPECT_EQ(tag_of(book_.answered(1s, 8, "yes")), 8U);
  EXPECT_EQ(book_.violations(), 1U);
  EXPECT_EQ(tag_of(book_.answered(1s, 7, "yes")), 7U);
  ASSERT_EQ(book_.violations(), 1U);
  EXPECT_NE(book_.texts().front().find("is out of order: before it comes request 7 \"CHECK a\""),
            std::string::npos);
}

TEST_F(AnswerBookTest, CountsWhatIsLostWithTheConnection) {
  book_.sent(1s, 7, "CHECK a");
  book_.sent(2s, 8, "CHECK b");
  book_.sent(2s, 9, "CHECK c");
  book_.closed(2s);
  book_.closed(3s);
  EXPECT_EQ(book_.lost(), 3U);
  EXPECT_EQ(book_.outstanding(), 0U);
  EXPECT_EQ(book_.violations(), 1U) << "the first one was overdue";
  book_.answered(2s, "yes");
  EXPECT_EQ(book_.texts().back(), "answer \"yes\" at 2.000 s after the connection closed");
}

TEST_F(AnswerBookTest, ExcusesWhatIsOutstandingAndNothingLater) {
  book_.sent(1s, 7, "CHECK a");
  book_.sent(1s, 8, "CHECK b");
  book_.excused(500ms);
  book_.sent(1s, 9, "CHECK c");
  book_.answered(1s + 610ms, "yes");
  EXPECT_EQ(book_.violations(), 0U);
  book_.answered(1s + 610ms + 1ns, "yes");
  EXPECT_EQ(book_.violations(), 1U);
  book_.answered(1s + 110ms + 1ns, "yes");
  EXPECT_EQ(book_.violations(), 2U);
}

TEST_F(AnswerBookTest, KeepsTheFirstTextsAndCountsAll) {
  for (int i = 0; i < 1'000; ++i) book_.answered(1s, "yes");
  EXPECT_EQ(book_.violations(), 1'000U);
  EXPECT_EQ(book_.texts().size(), std::size_t{AnswerBook::kMostTexts});
}

}  // namespace
}  // namespace sluice::sim
