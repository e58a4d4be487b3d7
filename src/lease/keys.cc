#include "lease/keys.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "lease/entry.h"

namespace sluice::lease {
namespace {

constexpr std::size_t kFirstBuckets = 64;

}  // namespace

Keys::Keys(Random& random)
    : buckets_(kFirstBuckets), set_({buckets_.data(), buckets_.size()}, KeyedHash(random)) {}

Keys::~Keys() {
  for (Slot& slot : wheel_) slot.clear();
  set_.clear_and_dispose(EntryDeleter{});
}

Entry* Keys::find(std::string_view key) {
  const auto found = set_.find(key);
  return found == set_.end() ? nullptr : &*found;
}

const Entry* Keys::find(std::string_view key) const {
  const auto found = set_.find(key);
  return found == set_.end() ? nullptr : &*found;
}

Entry& Keys::insert(EntryPtr entry, Instant now, Instant due) {
  // With nothing held the hand stands still.
  if (set_.empty()) hand_ = slot_number(now);
  if (set_.size() >= buckets_.size()) {
    std::vector<Set::bucket_type> more(buckets_.size() * 2);
    set_.incremental_rehash({more.data(), more.size()});
    buckets_ = std::move(more);
  }
  // One bucket is split with each key, so that the table has grown by the time it is full again.
  set_.incremental_rehash(true);
  Entry& added = *entry.release();
  set_.insert(added);
  slot_for(due).push_back(added);
  return added;
}

void Keys::erase(Entry& entry) {
  set_.erase_and_dispose(set_.iterator_to(entry), EntryDeleter{});
}

void Keys::set_due(Entry& entry, Instant due) {
  // To unlink an entry takes no knowledge of the slot it is in.
  wheel_.front().erase(Slot::s_iterator_to(entry));
  slot_for(due).push_back(entry);
}

Keys::Slot& Keys::slot_for(Instant due) {
  const std::int64_t number =
      std::clamp(slot_number(due), hand_, hand_ + static_cast<std::int64_t>(kSlots) - 1);
  return wheel_[static_cast<std::size_t>(number) % kSlots];
}

}  // namespace sluice::lease
