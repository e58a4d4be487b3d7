// Limits in use, once each: a million keys of one rule share one Limit.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "limiter/limit.h"

namespace sluice::limiter {

using LimitId = std::uint32_t;

/// Counts how many keys use each limit. Bound: the number of keys, since a limit without keys is dropped.
class LimitTable {
 public:
  /// The id of an equal limit, with one use more.
  LimitId acquire(const Limit& limit);
  void release(LimitId id);
  [[nodiscard]] const Limit& at(LimitId id) const { return *slots_[id].limit; }
  /// Limits held now.
  [[nodiscard]] std::size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const Limit& limit) const;
  };
  struct Slot {
    const Limit* limit = nullptr;  ///< the key in ids_; null: free
    std::size_t uses = 0;
  };
  std::unordered_map<Limit, LimitId, Hash> ids_;
  std::vector<Slot> slots_;
  std::vector<LimitId> free_;
};

}  // namespace sluice::limiter
