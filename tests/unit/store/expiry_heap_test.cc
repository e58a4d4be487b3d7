// Aim: the heap always knows the earliest, and each entry its place. Method: random operations against a
// multiset.
#include "store/memory/expiry_heap.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "store/memory/entry.h"
#include "support/virtual_loop.h"

namespace sluice::store {
namespace {

TEST(ExpiryHeap, AgreesWithASortedSet) {
  test::SeededRandom random(3);
  ExpiryHeap heap;
  std::vector<std::unique_ptr<MemoryEntry>> entries;
  std::vector<WallTime> due_of;
  std::multiset<WallTime> sorted;
  std::vector<std::size_t> present;
  const auto any_time = [&] { return WallTime(std::chrono::seconds(random.below(1000))); };
  for (int i = 0; i < 50'000; ++i) {
    const auto action = random.below(4);
    if (action < 2 && present.size() < 300) {
      const WallTime due = any_time();
      entries.push_back(std::make_unique<MemoryEntry>());
      due_of.push_back(due);
      heap.push(*entries.back(), due);
      present.push_back(entries.size() - 1);
      sorted.insert(due);
    } else if (!present.empty()) {
      const std::size_t slot = random.below(present.size());
      const std::size_t index = present[slot];
      sorted.erase(sorted.find(due_of[index]));
      if (action == 2) {
        heap.remove(*entries[index]);
        std::swap(present[slot], present.back());
        present.pop_back();
      } else {
        due_of[index] = any_time();
        heap.update(*entries[index], due_of[index]);
        sorted.insert(due_of[index]);
      }
    }
    ASSERT_EQ(heap.empty(), sorted.empty());
    if (!heap.empty()) {
      ASSERT_EQ(heap.top_due(), *sorted.begin());
    }
  }
}

}  // namespace
}  // namespace sluice::store
