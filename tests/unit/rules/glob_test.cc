// Aim: globs mean what they say for any bytes, and no pattern is slow.
// Method: a table; random patterns and texts over a tiny alphabet against the textbook recursion, as a table
// of all prefixes; the worst known inputs on the processor's clock, so that a busy machine does not count.
#include "rules/glob.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::rules {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  return Glob::parse(pattern).value().matches(text);
}

/// row[j]: the pattern so far matches the first j bytes of the text.
bool oracle(std::string_view pattern, std::string_view text) {
  std::vector<bool> row(text.size() + 1, false);
  row[0] = true;
  for (std::size_t p = 0; p < pattern.size(); ++p) {
    std::vector<bool> next(text.size() + 1, false);
    const bool star = pattern[p] == '*';
    const bool any = pattern[p] == '?';
    if (pattern[p] == '\\') ++p;
    for (std::size_t j = 0; j <= text.size(); ++j) {
      if (star) {
        next[j] = row[j] || (j > 0 && next[j - 1]);
      } else {
        next[j] = j > 0 && row[j - 1] && (any || text[j - 1] == pattern[p]);
      }
    }
    row = next;
  }
  return row.back();
}

double cpu_milliseconds() {
  timespec now{};
  // NOLINTNEXTLINE(misc-include-cleaner): <ctime> does declare it in glibc.
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// The shortest of several runs.
double cost_of(const Glob& glob, std::string_view text) {
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < 10; ++run) {
    const double start = cpu_milliseconds();
    static_cast<void>(glob.matches(text));
    best = std::min(best, cpu_milliseconds() - start);
  }
  return best;
}

TEST(Glob, Meanings) {
  EXPECT_TRUE(matches("", ""));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_TRUE(matches("abc", "abc"));
  EXPECT_FALSE(matches("abc", "abcd"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("**", "anything"));
  EXPECT_TRUE(matches("vip-*", "vip-"));
  EXPECT_FALSE(matches("vip-*", "vip"));
  EXPECT_TRUE(matches("*.html", ".html"));
  EXPECT_FALSE(matches("*.html", "a.html5"));
  EXPECT_TRUE(matches("/a/*/c", "/a/b/b/c"));
  EXPECT_FALSE(matches("/a/*/c", "/a/c"));
  EXPECT_FALSE(matches("aba*aba", "ababa"));
  EXPECT_FALSE(matches("*aba*aba*", "xababax"));
  EXPECT_TRUE(matches("*a?c*", "xxabxacc"));
  EXPECT_TRUE(matches("???", "abc"));
  EXPECT_FALSE(matches("???", "ab"));
  EXPECT_TRUE(matches("*??", "ab"));
  EXPECT_FALSE(matches("*??", "a"));
}

TEST(Glob, Escapes) {
  EXPECT_TRUE(matches("\\*", "*"));
  EXPECT_FALSE(matches("\\*", "x"));
  EXPECT_TRUE(matches("a\\?b", "a?b"));
  EXPECT_FALSE(matches("a\\?b", "axb"));
  EXPECT_TRUE(matches("\\\\*", "\\x"));
  EXPECT_TRUE(matches("\\sha256:", "sha256:"));
  EXPECT_FALSE(Glob::parse("abc\\"));
  EXPECT_FALSE(Glob::parse("abc\\\\\\"));
}

TEST(Glob, LiteralOnlyWithoutWildcards) {
  EXPECT_EQ(Glob::parse("a\\*b")->literal(), "a*b");
  EXPECT_EQ(Glob::parse("")->literal(), "");
  EXPECT_FALSE(Glob::parse("a*")->literal());
  EXPECT_FALSE(Glob::parse("a?")->literal());
}

TEST(Glob, AnyBytes) {
  using namespace std::string_view_literals;
  EXPECT_TRUE(matches("a?b*"sv, "a\0b\xff\n"sv));
  EXPECT_TRUE(matches("*\0*"sv, "x\0y"sv));
  EXPECT_FALSE(matches("*\0*"sv, "xy"sv));
  EXPECT_TRUE(matches("*\xff?*"sv, "a\xff\xff"sv));
  EXPECT_FALSE(matches("?", "\xc3\xa4"));  // one character, but two bytes
}

TEST(Glob, BoundsPatterns) {
  EXPECT_TRUE(Glob::parse(std::string(kMaxPatternBytes, 'a')));
  EXPECT_FALSE(Glob::parse(std::string(kMaxPatternBytes + 1, 'a')));
  EXPECT_TRUE(matches(std::string(kMaxPatternBytes, '?'), std::string(kMaxPatternBytes, 'x')));
  EXPECT_TRUE(
      matches("*" + std::string(kMaxPatternBytes - 2, '?') + "*", std::string(kMaxPatternBytes, 'x')));
}

TEST(Glob, AgreesWithTheTextbook) {
  std::mt19937 random(11);
  const std::string pattern_bytes = "aab*?\\";
  const std::string text_bytes = "aab*?\\";
  int matched = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string pattern;
    for (auto left = random() % 9; left > 0; --left)
      pattern += pattern_bytes[random() % pattern_bytes.size()];
    std::string text;
    for (auto left = random() % 12; left > 0; --left) text += text_bytes[random() % text_bytes.size()];
    const auto glob = Glob::parse(pattern);
    if (!glob) continue;  // ends in a lone backslash
    ASSERT_EQ(glob->matches(text), oracle(pattern, text)) << pattern << " on " << text;
    if (glob->matches(text)) ++matched;
  }
  EXPECT_GT(matched, 5000);
}

TEST(Glob, NoPatternIsSlow) {
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
  constexpr double kBoundMs = 4;  // measured at 0.25 to 0.6: room for slower machines
#else
  constexpr double kBoundMs = 20;  // trying each place on its own takes over 100 there
#endif
  const std::string text(65536, 'a');
  const auto repeated = [](std::string_view unit, std::string_view end, std::string out = "*") {
    while (out.size() + unit.size() + end.size() <= kMaxPatternBytes) out += unit;
    return out.append(end);
  };
  for (const std::string& pattern : {repeated("a*", "b"), repeated("a", "b*"), repeated("a?", "b*"),
                                     repeated("?", "b*"), repeated("?a*", "b*"), repeated("aaaaaaa?*", "b*"),
                                     repeated("a", "?b*"), repeated("a", "*", "*b"), repeated("*", "a")}) {
    const auto glob = Glob::parse(pattern);
    ASSERT_TRUE(glob) << pattern;
    EXPECT_LT(cost_of(*glob, text), kBoundMs) << pattern;
  }
}

}  // namespace
}  // namespace sluice::rules
