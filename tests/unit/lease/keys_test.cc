// Aim: every key is found while the table grows and shrinks, is looked at when it is due, and is small.
// Method: a plain map and plain times beside it.
#include "lease/keys.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lease/terms.h"
#include "limiter/limit.h"
#include "support/virtual_loop.h"

namespace sluice::lease {
namespace {

using namespace std::chrono_literals;

TermsPtr any_terms() {
  return Terms::make(*limiter::Limit::make({.count = 100, .period = 1s}), {});
}

class KeysTest : public testing::Test {
 protected:
  Entry& add(const std::string& key, Duration due = 1s) {
    return keys_.insert(make_entry(key, terms_), start_, start_ + due);
  }
  std::vector<std::string> due_at(Duration at, std::size_t budget = 1000) {
    std::vector<std::string> seen;
    keys_.visit_due(start_ + at, budget, [&](Entry& entry) {
      seen.emplace_back(entry.key());
      return start_ + at + 1h;
    });
    return seen;
  }

  Instant start_{100h};
  test::SeededRandom random_;
  TermsPtr terms_ = any_terms();
  Keys keys_{random_};
};

TEST_F(KeysTest, FindsEveryKeyWhileGrowingAndShrinking) {
  std::map<std::string, Entry*> expected;
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = "key-" + std::to_string(random_.below(15'000));
    if (const auto found = expected.find(key); found != expected.end()) {
      EXPECT_EQ(keys_.find(key), found->second);
    } else {
      EXPECT_EQ(keys_.find(key), nullptr);
      expected[key] = &add(key);
      ASSERT_EQ(expected[key]->key(), key);
    }
  }
  EXPECT_EQ(keys_.size(), expected.size());
  for (const auto& [key, entry] : expected) ASSERT_EQ(keys_.find(key), entry) << key;
}

TEST_F(KeysTest, AnEmptyKeyAndAnyBytesAreKeys) {
  const std::string odd("\0\xff\n", 3);
  add("");
  add(odd);
  EXPECT_EQ(keys_.find("")->key(), "");
  EXPECT_EQ(keys_.find(odd)->key(), odd);
}

TEST_F(KeysTest, VisitsWhatIsDueAndNotMuchElse) {
  add("soon", 100ms);
  add("later", 3s);
  EXPECT_TRUE(due_at(50ms).empty());
  EXPECT_EQ(due_at(150ms), std::vector<std::string>{"soon"});
  EXPECT_TRUE(due_at(2900ms).empty());
  EXPECT_EQ(due_at(3100ms), std::vector<std::string>{"later"});
}

TEST_F(KeysTest, WhatIsDueBeyondTheWheelIsVisitedNoLaterThanOnceARound) {
  add("far", 24h);
  std::size_t visits = 0;
  for (Duration at = 0s; at < 1min; at += 25ms) visits += due_at(at).size();
  EXPECT_GE(visits, 8U);
  EXPECT_LE(visits, 11U);
}

TEST_F(KeysTest, AMovedEntryIsVisitedAtItsNewTime) {
  Entry& entry = add("k", 5s);
  keys_.set_due(entry, start_ + 200ms);
  EXPECT_EQ(due_at(300ms), std::vector<std::string>{"k"});
}

TEST_F(KeysTest, ABudgetIsKeptAndTheRestComesNext) {
  for (int i = 0; i < 10; ++i) add(std::to_string(i), 10ms);
  EXPECT_EQ(due_at(1s, 4).size(), 4U);
  EXPECT_EQ(due_at(1s, 100).size(), 6U);
}

TEST_F(KeysTest, ALongPauseLosesNobody) {
  for (int i = 0; i < 500; ++i) add(std::to_string(i), i * 10ms);
  const auto seen = due_at(24h);
  EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 500U);
}

TEST_F(KeysTest, VisitsTheSoonestFirstToMakeRoom) {
  add("b", 2s);
  add("a", 1s);
  add("c", 3s);
  std::vector<std::string> seen;
  keys_.visit_soonest(2, [&](Entry& entry) {
    seen.emplace_back(entry.key());
    keys_.erase(entry);
    return Keys::kErased;
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(keys_.size(), 1U);
}

TEST_F(KeysTest, MillionsOfKeysAreSmall) {
  // At most 160 bytes per key held. Keys of some 22 bytes ("per-user" and an id), a block of
  // glibc's allocator (8 bytes, to a multiple of 16), and a bucket or two: the table doubles when it is full.
  constexpr std::size_t kBlock = (entry_bytes(22) + 8 + 15) / 16 * 16;
  EXPECT_LE(kBlock + 2 * sizeof(void*), 160U);
}

}  // namespace
}  // namespace sluice::lease
