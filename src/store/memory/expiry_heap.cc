#include "store/memory/expiry_heap.h"

#include <cstddef>

#include "base/assert.h"
#include "base/time.h"
#include "store/memory/entry.h"

namespace sluice::store {

void ExpiryHeap::place(std::size_t at, Node node) {
  nodes_[at] = node;
  node.entry->heap_index = at;
}

void ExpiryHeap::sift_up(std::size_t at, Node node) {
  while (at > 0) {
    const std::size_t parent = (at - 1) / 2;
    if (nodes_[parent].due <= node.due) break;
    place(at, nodes_[parent]);
    at = parent;
  }
  place(at, node);
}

void ExpiryHeap::sift_down(std::size_t at, Node node) {
  for (;;) {
    std::size_t child = 2 * at + 1;
    if (child >= nodes_.size()) break;
    if (child + 1 < nodes_.size() && nodes_[child + 1].due < nodes_[child].due) ++child;
    if (node.due <= nodes_[child].due) break;
    place(at, nodes_[child]);
    at = child;
  }
  place(at, node);
}

void ExpiryHeap::push(MemoryEntry& entry, WallTime due) {
  nodes_.push_back({});
  sift_up(nodes_.size() - 1, {.due = due, .entry = &entry});
}

void ExpiryHeap::update(MemoryEntry& entry, WallTime due) {
  const std::size_t at = entry.heap_index;
  SLUICE_ASSERT(at < nodes_.size() && nodes_[at].entry == &entry);
  const Node node{.due = due, .entry = &entry};
  if (due < nodes_[at].due) {
    sift_up(at, node);
  } else {
    sift_down(at, node);
  }
}

void ExpiryHeap::remove(MemoryEntry& entry) {
  const std::size_t at = entry.heap_index;
  SLUICE_ASSERT(at < nodes_.size() && nodes_[at].entry == &entry);
  const WallTime gap = nodes_[at].due;
  const Node last = nodes_.back();
  nodes_.pop_back();
  if (at == nodes_.size()) return;
  if (last.due < gap) {
    sift_up(at, last);
  } else {
    sift_down(at, last);
  }
}

}  // namespace sluice::store
