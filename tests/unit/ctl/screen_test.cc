// Aim: lines keep to the width of the terminal, whatever their characters are. Method: exact texts.
#include "ctl/screen.h"

#include <gtest/gtest.h>

#include <string>

namespace sluice::ctl {
namespace {

TEST(Screen, FieldsAreCutAndFilled) {
  const ScreenForm form{.columns = 100};
  EXPECT_EQ(Line().left("ab", 4).add("|").right("cd", 4).add("|").text(form), "ab  |  cd|");
  EXPECT_EQ(Line().left("abcdef", 4).right("abcdef", 4).text(form), "abcdabcd");
  EXPECT_EQ(Line().left("äöü", 2).add("|").text(form), "äö|");
  EXPECT_EQ(Line().add("ab").go_to(5).add("c").go_to(2).add("d").text(form), "ab   cd");
}

TEST(Screen, LinesEndAtTheEdge) {
  Line line;
  line.add("1234").add("5678", Style::denied).add("90");
  EXPECT_EQ(line.text({.columns = 100}), "1234567890");
  EXPECT_EQ(line.text({.columns = 6}), "123456");
  EXPECT_EQ(line.text({.columns = 6, .colour = Colour::on}), "1234\x1b[1;31m56\x1b[0m");
  EXPECT_EQ(line.text({.columns = 4, .colour = Colour::on}), "1234") << "no colour for nothing";
  EXPECT_EQ(line.text({.columns = 0}), "");
}

TEST(Screen, Bars) {
  EXPECT_EQ(bar(0, 4, Charset::ascii), "....");
  EXPECT_EQ(bar(0.5, 4, Charset::ascii), "##..");
  EXPECT_EQ(bar(7, 4, Charset::utf8), "████");
  EXPECT_EQ(bar(-1, 2, Charset::utf8), "░░");
  EXPECT_EQ(bar(0.5, 0, Charset::utf8), "");
}

TEST(Screen, SparklinesShowTheNewestAndLeaveNothingOut) {
  EXPECT_EQ(sparkline({9, 9, 0, 1, 100}, 100, 3, Charset::ascii), " .#");
  EXPECT_EQ(sparkline({0, 1, 50, 100}, 100, 6, Charset::utf8), "   ▁▄█");
  EXPECT_EQ(sparkline({0, 0}, 0, 2, Charset::ascii), "  ");
  EXPECT_EQ(sparkline({}, 5, 2, Charset::ascii), "  ");
}

}  // namespace
}  // namespace sluice::ctl
