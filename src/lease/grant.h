// What the lease table is told by the store, and what it tells those who ask. Plain data.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace sluice::lease {

/// As store::Generation: names the history of a shard's data.
using Generation = std::uint64_t;

/// The store's answer to one Ask.
struct Grant {
  std::int64_t granted_needs = 0;  ///< shared out first-fit, in the order of the needs
  std::int64_t granted_extra = 0;
  std::int64_t remaining = 0;  ///< left in the store after this
  Duration retry_after{};      ///< for the first need that was not served; 0: all were; kNever
  Duration reset_after{};
  std::optional<Duration> ends_after{};  ///< until the window closes; nothing: there is none
  WallTime granted_at{};                 ///< store time of the debit
  Generation generation = 0;
};

/// Where tokens come from, for giving them back.
struct Origin {
  Instant good_until{};  ///< they must be used or given back by then
  WallTime granted_at{};
  Generation generation = 0;
};

/// What is known of a key when a question is answered.
struct Figures {
  std::int64_t remaining = 0;  ///< at hand here and, when last heard, in the store; ≥ 0
  Duration retry_after{};      ///< 0: allowed; kNever
  Duration reset_after{};
};

enum class Status : std::uint8_t {
  taken,
  denied,
  waiting,      ///< the answer comes later, under the tag
  full,         ///< no room for one more key
  unavailable,  ///< the store did not carry it out
  unknown,      ///< the store's reply was lost
};

struct Answer {
  Status status = Status::waiting;
  Figures figures{};
  Origin origin{};  ///< of what was taken
};

}  // namespace sluice::lease
