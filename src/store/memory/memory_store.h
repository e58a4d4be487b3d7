// The embedded store: the same algorithms, in this process. For one machine, for trying out, for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/steady_wall.h"
#include "limiter/limit_table.h"
#include "store/memory/entry.h"
#include "store/memory/expiry_heap.h"
#include "store/store.h"

namespace sluice::store {

struct MemoryStoreOptions {
  std::size_t max_keys = 1'000'000;
};

/// What happened so far; plain numbers for observe/ to render.
struct MemoryStoreCounters {
  std::uint64_t debits = 0;   ///< leases that took something
  std::uint64_t expired = 0;  ///< keys dropped because they were back to full
  std::uint64_t refused = 0;  ///< new keys refused because the table was full of keys that were not
};

/// Answers every request at once. Never evicts a key that is not back to full: that would hand out a fresh
/// full bucket. So at max_keys a *new* key is refused (StoreError::full) until an old one has healed, and
/// counted. Keys that have healed are dropped a few at a time with every new key and by sweep(), so no call
/// does unbounded work.
class MemoryStore final : public Store {
 public:
  /// `clock` must outlive the store. `random` keys the hash table.
  MemoryStore(const Clock& clock, Random& random, const MemoryStoreOptions& options);

  /// Unused: nothing is ever answered later.
  void set_sink(StoreSink& sink) override;
  [[nodiscard]] std::optional<Outcome> lease(const LeaseRequest& request, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> peek(std::string_view key, const limiter::Limit& limit,
                                            std::int64_t cost, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> give_back(const GiveBack& request, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> reset(std::string_view key, const limiter::Limit& limit,
                                             std::uint64_t tag) override;
  [[nodiscard]] Generation generation_of(std::string_view key) const override;

  /// Drops up to `budget` keys that are back to full. For a timer.
  void sweep(std::size_t budget);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const MemoryStoreCounters& counters() const { return counters_; }

 private:
  using Entries = std::unordered_map<std::string, MemoryEntry, KeyedHash, std::equal_to<>>;

  [[nodiscard]] WallTime now();
  /// The entry with its state carried over to `limit`, or null.
  MemoryEntry* find(std::string_view key, const limiter::Limit& limit, WallTime now);
  /// A new entry, or null at the bound.
  MemoryEntry* insert(std::string_view key, const limiter::Limit& limit, WallTime now);
  void erase(MemoryEntry& entry);
  void drop_healed(WallTime now, std::size_t budget);

  const Clock& clock_;
  SteadyWall wall_;
  MemoryStoreOptions options_;
  MemoryStoreCounters counters_;
  Entries entries_;
  ExpiryHeap heap_;
  limiter::LimitTable limits_;
  std::uint64_t seq_ = 0;
};

}  // namespace sluice::store
