#include "sim/core/trace.h"

#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/hash.h"
#include "base/text.h"
#include "sim/core/timeline.h"

namespace sluice::sim {

void Trace::note(SimTime when, std::string_view who, std::string_view what) {
  // Part by part, each seeded with what came before: where one ends and the next begins counts too.
  const std::int64_t count = when.count();
  std::array<char, sizeof count> bytes{};
  std::memcpy(bytes.data(), &count, sizeof count);
  hash_ = stable_hash({bytes.data(), bytes.size()}, hash_);
  hash_ = stable_hash(who, hash_);
  hash_ = stable_hash(what, hash_);
  if (printing()) say(when, who, what);
}

void Trace::say(SimTime when, std::string_view who, std::string_view what) const {
  if (!printing()) return;
  constexpr std::size_t kMostShown = 200;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(when);
  fmt::print(out_, "{:>6}.{:09} {}: {}\n", seconds.count(), (when - seconds).count(), who,
             printable(what, kMostShown));
}

}  // namespace sluice::sim
