// How many bytes a key costs whose tokens are leased, at one million of them. Prints that number.
//
// Method: what the allocator has handed out, and what it has mapped, before and after a million keys of 22
// bytes ("per-user" and an id, as rules/ encodes them) were granted a lease each, with the table's own
// growth.
#include <malloc.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "base/random.h"
#include "base/time.h"
#include "lease/table.h"
#include "lease/terms.h"
#include "limiter/limit.h"

namespace {

using namespace sluice;
using namespace std::chrono_literals;

constexpr std::size_t kKeys = 1'000'000;

class Counting final : public Random {
 public:
  std::uint64_t next() override { return next_ += 0x9e3779b97f4a7c15U; }

 private:
  std::uint64_t next_ = 1;
};

/// Bytes in use, blocks of the heap and big mappings alike.
std::size_t in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::string key_of(std::size_t number) {
  std::string digits = std::to_string(number);
  return "per-user/t8:" + std::string(10 - digits.size(), '0') + digits;
}

}  // namespace

int main() {
  Counting random;
  const auto limit = limiter::Limit::make({.count = 1000, .period = 1min});
  const lease::TermsPtr terms = lease::Terms::make(*limit, {.ttl = 1h});
  const std::size_t before = in_use();
  lease::Table table(random, 2 * kKeys);
  lease::Actions actions;
  const Instant now{1h};
  for (std::size_t i = 0; i < kKeys; ++i) {
    const std::string key = key_of(i);
    // Twice, so that there is a demand to lease ahead for.
    for (int round = 0; round < 2; ++round) {
      if (table.take(key, terms, 1, i, now, actions).status != lease::Status::waiting) return 1;
      table.compose(now, actions);
      for (const lease::Ask& ask : std::exchange(actions.asks, {})) {
        table.granted(ask.id, {.granted_needs = 1, .granted_extra = round, .remaining = 900, .generation = 1},
                      now, actions);
      }
      actions.resolved.clear();
    }
    if (table.held(key, now) != 1) return 1;
  }
  actions = {};
  const double per_key = static_cast<double>(in_use() - before) / static_cast<double>(kKeys);
  static_cast<void>(std::printf("%.1f\n", per_key));
  return 0;
}
