// Which keys are held, and when each is due to be looked at.
#pragma once

#include <algorithm>
#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "lease/entry.h"

namespace sluice::lease {

/// Owns the entries. The table grows a little with each new key, so no call does unbounded work. Each entry
/// lies in one slot of a wheel, by the time when it is due; an entry that is due earlier than it was is not
/// found earlier unless it is moved with set_due.
class Keys {
 public:
  explicit Keys(Random& random);
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  [[nodiscard]] Entry* find(std::string_view key);
  [[nodiscard]] const Entry* find(std::string_view key) const;
  /// Not held before. `due` ≥ `now`.
  Entry& insert(EntryPtr entry, Instant now, Instant due);
  void erase(Entry& entry);
  [[nodiscard]] std::size_t size() const { return set_.size(); }

  void set_due(Entry& entry, Instant due);
  /// Calls visit(Entry&) → Instant for entries that are due, at most `budget` of them; the result is when
  /// each is due again. `visit` may erase its entry if it then returns kErased. Entries may be visited early,
  /// by the length of the wheel, and late, by a slot.
  template <class Visit>
  void visit_due(Instant now, std::size_t budget, Visit visit);
  static constexpr Instant kErased = Instant::min();

  /// The same for the `budget` entries that are due soonest, due or not; to make room.
  template <class Visit>
  void visit_soonest(std::size_t budget, Visit visit);

  /// Calls visit(Entry&) for every entry; it may not insert or erase.
  template <class Visit>
  void for_each(Visit visit) {
    for (Entry& entry : set_) visit(entry);
  }

  static constexpr Duration kSlot = std::chrono::milliseconds{25};

 private:
  struct KeyOf {
    using type = std::string_view;
    std::string_view operator()(const Entry& entry) const { return entry.key(); }
  };
  using Set = boost::intrusive::unordered_set<
      Entry, boost::intrusive::base_hook<HashHook>, boost::intrusive::key_of_value<KeyOf>,
      boost::intrusive::hash<KeyedHash>, boost::intrusive::equal<std::equal_to<>>,
      boost::intrusive::power_2_buckets<true>, boost::intrusive::incremental<true>>;
  using Slot = boost::intrusive::list<Entry, boost::intrusive::base_hook<WheelHook>,
                                      boost::intrusive::constant_time_size<false>>;
  static constexpr std::size_t kSlots = 256;

  /// False: the budget ended before the slot did.
  template <class Visit>
  bool visit_slot(std::int64_t number, std::size_t& budget, Visit visit);
  static std::int64_t slot_number(Instant at) { return at.time_since_epoch() / kSlot; }
  Slot& slot_for(Instant due);

  std::vector<Set::bucket_type> buckets_;
  Set set_;
  std::array<Slot, kSlots> wheel_;
  std::int64_t hand_ = 0;  ///< number of the next slot to visit
};

template <class Visit>
void Keys::visit_due(Instant now, std::size_t budget, Visit visit) {
  const std::int64_t present = slot_number(now);
  // After a long pause one round shows every entry.
  hand_ = std::max(hand_, present - static_cast<std::int64_t>(kSlots));
  for (; hand_ < present && budget > 0; ++hand_) {
    if (!visit_slot(hand_, budget, visit)) return;
  }
}

template <class Visit>
void Keys::visit_soonest(std::size_t budget, Visit visit) {
  for (std::int64_t ahead = 0; ahead < static_cast<std::int64_t>(kSlots) && budget > 0; ++ahead) {
    visit_slot(hand_ + ahead, budget, visit);
  }
}

template <class Visit>
bool Keys::visit_slot(std::int64_t number, std::size_t& budget, Visit visit) {
  Slot& slot = wheel_[static_cast<std::size_t>(number) % kSlots];
  // Taken out of the slot, because entries may come into it meanwhile.
  Slot due;
  due.swap(slot);
  for (; !due.empty() && budget > 0; --budget) {
    Entry& entry = due.front();
    due.pop_front();
    const Instant again = visit(entry);
    if (again != kErased) slot_for(std::max(again, Instant{(hand_ + 1) * kSlot})).push_back(entry);
  }
  const bool all = due.empty();
  slot.splice(slot.begin(), due);
  return all;
}

}  // namespace sluice::lease
