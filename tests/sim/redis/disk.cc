#include "sim/redis/disk.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "base/time.h"
#include "sim/core/draw.h"
#include "sim/core/timeline.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/server.h"

namespace sluice::sim {
namespace {

constexpr Duration kSyncedWithin = std::chrono::seconds{1};

}  // namespace

void Disk::replace(const Image& image) {
  if (persistence_ != Persistence::every_second) return;
  unsynced_.clear();
  image_ = image;
}

void Disk::append(SimTime now, const Effects& effects, std::uint64_t offset) {
  if (persistence_ != Persistence::every_second) return;
  sync_until(now - kSyncedWithin);
  unsynced_.push_back({.at = now, .offset = offset, .effects = effects});
}

void Disk::sync_until(SimTime when) {
  while (!unsynced_.empty() && unsynced_.front().at <= when) {
    for (const Effect& effect : unsynced_.front().effects) image_.data.apply(effect);
    image_.offset = unsynced_.front().offset;
    unsynced_.pop_front();
  }
}

void Disk::crash(SimTime now, Draw& draw, Image last) {
  switch (persistence_) {
    case Persistence::none:
      image_ = {.origin = last.origin};
      return;
    case Persistence::every_second:
      sync_until(now - draw.between(Duration::zero(), kSyncedWithin));
      unsynced_.clear();
      return;
    case Persistence::always:
      image_ = std::move(last);
      return;
  }
}

}  // namespace sluice::sim
