// The tokens that one key has at hand: at most two lots, the older one spent first.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "base/time.h"
#include "lease/grant.h"

namespace sluice::lease {

/// Stands for a Generation in fewer bits; see Generations.
using GenerationIndex = std::uint16_t;

/// Tokens of one grant, or of several with the earliest of their ends. 24 bytes, as every key has one.
struct Lot {
  std::uint32_t tokens = 0;
  GenerationIndex generation = 0;
  /// It ends with its window: what is left then is worth nothing to anybody.
  bool ends_with_window = false;
  Instant good_until{};
  WallTime granted_at{};

  static constexpr std::int64_t kMaxTokens = std::numeric_limits<std::uint32_t>::max();
};

class Stock {
 public:
  [[nodiscard]] bool empty() const { return first_.tokens == 0; }
  /// Tokens that are good at `now`.
  [[nodiscard]] std::int64_t held(Instant now) const;

  /// Takes `cost` from what is good at `now`, all or nothing. The result describes all that was taken: the
  /// earliest end, and the origin of the oldest.
  [[nodiscard]] std::optional<Lot> spend(std::int64_t cost, Instant now);

  /// False: it does not fit (too many tokens to count, or a third history at a time), nothing is added.
  [[nodiscard]] bool add(const Lot& lot);

  /// Removes a lot that is no longer good at `now`, if there is one.
  [[nodiscard]] std::optional<Lot> take_ended(Instant now);
  /// Removes a lot, the oldest first; nothing when empty.
  [[nodiscard]] std::optional<Lot> take_any();

  /// When the first of the lots ends. Not empty.
  [[nodiscard]] Instant first_end() const;

 private:
  void drop_first();

  Lot first_;
  std::unique_ptr<Lot> second_;  ///< only while there are two
};

}  // namespace sluice::lease
