// What a simulated server has of its data after a crash.
#pragma once

#include <cstdint>
#include <deque>

#include "sim/core/draw.h"
#include "sim/core/timeline.h"
#include "sim/network/network.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/server.h"

namespace sluice::sim {

class Disk {
 public:
  /// Data, and where of whose stream it was.
  struct Image {
    Keyspace data{};
    std::uint64_t offset = 0;
    HostId origin = 0;
  };

  explicit Disk(Persistence persistence) : persistence_(persistence) {}

  /// Everything anew: the data was loaded or copied from elsewhere.
  void replace(const Image& image);
  /// One step of the stream was done.
  void append(SimTime now, const Effects& effects, std::uint64_t offset);
  void set_origin(HostId origin) { image_.origin = origin; }
  /// The process has died, and had `last`.
  void crash(SimTime now, Draw& draw, Image last);
  /// What a new process finds.
  [[nodiscard]] const Image& image() const { return image_; }

 private:
  struct Step {
    SimTime at{};
    std::uint64_t offset = 0;
    Effects effects{};
  };
  void sync_until(SimTime when);

  Persistence persistence_;
  Image image_;
  std::deque<Step> unsynced_;  ///< of the last second; with every_second alone
};

}  // namespace sluice::sim
