#include "daemon/stores.h"

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/loop.h"
#include "base/random.h"
#include "base/result.h"
#include "base/time.h"
#include "config/settings.h"
#include "daemon/info.h"
#include "daemon/redis_access.h"
#include "daemon/redis_backing.h"
#include "daemon/store_report.h"
#include "net/uv_loop.h"
#include "observe/log.h"
#include "rules/policy.h"
#include "store/memory/memory_store.h"
#include "store/store.h"

namespace sluice::daemon {
namespace {

using namespace std::chrono_literals;

/// Idle keys are dropped even when no new ones come.
constexpr Duration kSweepEvery = 1s;
constexpr std::size_t kSweepBudget = 10'000;

class MemoryBacking final : public Backing {
 public:
  MemoryBacking(Loop& loop, Random& random, std::size_t max_keys)
      : loop_(loop), store_(loop.clock(), random, {.max_keys = max_keys}) {}

  store::Store& store() override { return store_; }
  void start() override { arm_sweep(); }
  void set_policy(std::shared_ptr<const rules::Policy> /*policy*/) override {}
  void drain(std::function<void()> done) override { loop_.defer(std::move(done)); }
  void describe(std::string& out) const override {
    const store::MemoryStoreCounters& counters = store_.counters();
    out += "\r\n# Store\r\nstore_kind:memory\r\n";
    info_line(out, "store_keys", store_.size());
    info_line(out, "store_debits", counters.debits);
    info_line(out, "store_keys_expired", counters.expired);
    info_line(out, "store_keys_refused", counters.refused);
  }
  [[nodiscard]] StoreReport report() const override {
    StoreReport report{.kind = "memory", .keys = store_.size(), .refused = store_.counters().refused};
    report.shards.push_back({.name = "memory", .serving = true});
    report.shards.back().counters.histories = 1;
    return report;
  }

 private:
  void arm_sweep() {
    loop_.start_timer(kSweepEvery, [this] {
      store_.sweep(kSweepBudget);
      arm_sweep();
    });
  }

  Loop& loop_;
  store::MemoryStore store_;
};

}  // namespace

Result<std::unique_ptr<Backing>> make_backing(net::UvLoop& loop, Random& random, observe::Log& log,
                                              const config::Settings::Store& settings,
                                              std::shared_ptr<const rules::Policy> policy) {
  const auto max_keys = static_cast<std::size_t>(settings.max_keys);
  if (settings.kind == "memory") return std::make_unique<MemoryBacking>(loop, random, max_keys);
  auto access = open_redis_access(loop, log, settings.redis);
  if (!access) return std::unexpected(access.error());
  return make_redis_backing(loop, random, log, settings, *std::move(access), std::move(policy));
}

}  // namespace sluice::daemon
