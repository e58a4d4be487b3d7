// Aim: the hash depends on every part of every note and on their order, and on nothing that is said only.
// Method: traces that differ in one thing each.
#include "sim/core/trace.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/core/timeline.h"

namespace sluice::sim {
namespace {

using namespace std::chrono_literals;

std::uint64_t hash_of(SimTime when, std::string_view who, std::string_view what) {
  Trace trace;
  trace.note(when, who, what);
  return trace.hash();
}

TEST(Trace, HashesEveryPart) {
  const auto hash = hash_of(1s, "a", "bc");
  EXPECT_EQ(hash_of(1s, "a", "bc"), hash);
  EXPECT_NE(hash_of(1s + 1ns, "a", "bc"), hash);
  EXPECT_NE(hash_of(1s, "b", "bc"), hash);
  EXPECT_NE(hash_of(1s, "a", "bd"), hash);
  EXPECT_NE(hash_of(1s, "ab", "c"), hash);
  EXPECT_NE(hash_of(1s, "abc", ""), hash);
}

TEST(Trace, HashesTheOrder) {
  Trace one;
  one.note(1s, "a", "x");
  one.note(1s, "b", "y");
  Trace other;
  other.note(1s, "b", "y");
  other.note(1s, "a", "x");
  EXPECT_NE(one.hash(), other.hash());
}

TEST(Trace, PrintsForPeopleWithoutChangingTheHash) {
  char* text = nullptr;
  std::size_t size = 0;
  // NOLINTNEXTLINE(misc-include-cleaner): POSIX has it in <stdio.h>, which <cstdio> stands for here
  std::FILE* const file = ::open_memstream(&text, &size);
  Trace trace(file);
  trace.note(1500ms, "a", std::string_view("x\0", 2));
  trace.say(2s, "b", "only said");
  std::fclose(file);
  const std::string printed(text, size);
  std::free(text);
  EXPECT_EQ(trace.hash(), hash_of(1500ms, "a", std::string_view("x\0", 2)));
  EXPECT_EQ(printed, "     1.500000000 a: x\\x00\n     2.000000000 b: only said\n");
}

}  // namespace
}  // namespace sluice::sim
