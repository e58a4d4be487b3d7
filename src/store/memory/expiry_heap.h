// Which key is back to full first.
#pragma once

#include <cstddef>
#include <vector>

#include "base/time.h"

namespace sluice::store {

struct MemoryEntry;

/// Min-heap of entries by their due time. Each entry knows its place, so that it can be moved and removed in
/// O(log n). Owns nothing.
class ExpiryHeap {
 public:
  void push(MemoryEntry& entry, WallTime due);
  /// Changes the due time of an entry that is in the heap.
  void update(MemoryEntry& entry, WallTime due);
  void remove(MemoryEntry& entry);
  [[nodiscard]] bool empty() const { return nodes_.empty(); }
  /// The earliest; the heap must not be empty.
  [[nodiscard]] MemoryEntry& top() const { return *nodes_.front().entry; }
  [[nodiscard]] WallTime top_due() const { return nodes_.front().due; }

 private:
  struct Node {
    WallTime due;
    MemoryEntry* entry = nullptr;
  };
  void place(std::size_t at, Node node);
  void sift_up(std::size_t at, Node node);
  void sift_down(std::size_t at, Node node);

  std::vector<Node> nodes_;
};

}  // namespace sluice::store
