#include "sim/core/timeline.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/assert.h"

namespace sluice::sim {
namespace {

constexpr std::uint64_t kMostPerMoment = 1'000'000;
/// Fewer cancelled events than this are not worth a pass over the heap.
constexpr std::size_t kManyCancelled = 4096;

/// An id is a slot's generation above its index.
constexpr unsigned kIndexBits = 32;

std::uint32_t index_of(Timeline::EventId event) {
  return static_cast<std::uint32_t>(event);
}

std::uint32_t generation_of(Timeline::EventId event) {
  return static_cast<std::uint32_t>(event >> kIndexBits);
}

}  // namespace

Timeline::~Timeline() {
  // What an act holds may cancel events in its own destructor: it finds no slots, which is as good as gone.
  while (!slots_.empty()) const auto dropped = std::exchange(slots_, {});
}

bool Timeline::later(const Due& a, const Due& b) {
  return a.when != b.when ? a.when > b.when : a.order > b.order;
}

Timeline::EventId Timeline::at(SimTime when, std::function<void()> act) {
  SLUICE_ASSERT(act != nullptr);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  slots_[index].act = std::move(act);
  const EventId id = EventId{slots_[index].generation} << kIndexBits | index;
  heap_.push_back({.when = std::max(when, now_), .order = next_order_++, .id = id});
  std::ranges::push_heap(heap_, &Timeline::later);
  return id;
}

std::function<void()> Timeline::take(EventId event) {
  const std::uint32_t index = index_of(event);
  if (index >= slots_.size() || slots_[index].generation != generation_of(event)) return {};
  Slot& slot = slots_[index];
  slot.generation = slot.generation + 1 == 0 ? 1 : slot.generation + 1;  // none is 0, which is no id's
  free_slots_.push_back(index);
  return std::exchange(slot.act, {});
}

void Timeline::cancel(EventId event) {
  const auto dropped = take(event);  // destroyed last: what it holds may cancel others
  if (!dropped) return;
  ++cancelled_;
  if (cancelled_ >= kManyCancelled && cancelled_ > heap_.size() / 2) forget_cancelled();
}

void Timeline::forget_cancelled() {
  const auto gone = [this](const Due& due) {
    return slots_[index_of(due.id)].generation != generation_of(due.id);
  };
  std::erase_if(heap_, gone);
  std::ranges::make_heap(heap_, &Timeline::later);
  cancelled_ = 0;
}

void Timeline::pop() {
  std::ranges::pop_heap(heap_, &Timeline::later);
  heap_.pop_back();
}

void Timeline::run_until(SimTime end) {
  std::uint64_t in_this_moment = 0;
  while (!heap_.empty() && heap_.front().when <= end) {
    const Due due = heap_.front();
    pop();
    const auto act = take(due.id);
    if (!act) {
      --cancelled_;
      continue;
    }
    if (due.when != now_) in_this_moment = 0;
    SLUICE_ASSERT(++in_this_moment <= kMostPerMoment);
    now_ = due.when;
    ++events_run_;
    act();
  }
  now_ = std::max(now_, end);
}

}  // namespace sluice::sim
