#include "store/redis/sharded_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/connector.h"
#include "base/loop.h"
#include "base/random.h"
#include "limiter/limit.h"
#include "store/redis/errors.h"
#include "store/redis/redis_store.h"
#include "store/redis/rendezvous.h"
#include "store/store.h"

namespace sluice::store::redis {
namespace {

std::vector<std::string> names_of(const std::vector<ShardSpec>& specs) {
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const ShardSpec& spec : specs) names.push_back(spec.name);
  return names;
}

}  // namespace

/// Says of what its store tells which shard it is.
class ShardedStore::Shard final : private RedisStoreEvents {
 public:
  Shard(Loop& loop, Connector& connector, Random& random, ShardEvents& events, std::size_t index,
        ShardSpec spec)
      : events_(events),
        index_(index),
        name_(std::move(spec.name)),
        store_(loop, connector, random, *this, std::move(spec.options)) {}

  [[nodiscard]] RedisStore& store() { return store_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  void on_serving(Generation generation, bool new_history) override {
    events_.on_serving(index_, generation, new_history);
  }
  void on_lost(std::string_view reason) override { events_.on_lost(index_, reason); }
  void on_attempt_failed(std::string_view reason) override { events_.on_attempt_failed(index_, reason); }
  void on_refused(ErrorKind kind, std::string_view text) override { events_.on_refused(index_, kind, text); }
  void on_rebooked(std::uint64_t keys, std::uint64_t tokens) override {
    events_.on_rebooked(index_, keys, tokens);
  }

  ShardEvents& events_;
  std::size_t index_;
  std::string name_;
  RedisStore store_;
};

ShardedStore::ShardedStore(Loop& loop, Connector& connector, Random& random, ShardEvents& events,
                           std::vector<ShardSpec> specs)
    : rendezvous_(names_of(specs)) {
  for (ShardSpec& spec : specs) {
    shards_.push_back(
        std::make_unique<Shard>(loop, connector, random, events, shards_.size(), std::move(spec)));
  }
}

ShardedStore::~ShardedStore() = default;

void ShardedStore::start() {
  for (const auto& shard : shards_) shard->store().start();
}

void ShardedStore::set_sink(StoreSink& sink) {
  for (const auto& shard : shards_) shard->store().set_sink(sink);
}

RedisStore& ShardedStore::store_of(std::string_view key) const {
  return shards_[shard_of(key)]->store();
}

std::optional<Outcome> ShardedStore::lease(const LeaseRequest& request, std::uint64_t tag) {
  return store_of(request.key).lease(request, tag);
}

std::optional<Outcome> ShardedStore::peek(std::string_view key, const limiter::Limit& limit,
                                          std::int64_t cost, std::uint64_t tag) {
  return store_of(key).peek(key, limit, cost, tag);
}

std::optional<Outcome> ShardedStore::give_back(const GiveBack& request, std::uint64_t tag) {
  return store_of(request.key).give_back(request, tag);
}

std::optional<Outcome> ShardedStore::reset(std::string_view key, const limiter::Limit& limit,
                                           std::uint64_t tag) {
  return store_of(key).reset(key, limit, tag);
}

Generation ShardedStore::generation_of(std::string_view key) const {
  return store_of(key).generation_of(key);
}

Fleet ShardedStore::fleet_of(std::string_view key) const {
  return store_of(key).fleet_of(key);
}

const std::string& ShardedStore::name(std::size_t shard) const {
  return shards_[shard]->name();
}

const RedisStore& ShardedStore::shard(std::size_t shard) const {
  return shards_[shard]->store();
}

void ShardedStore::leave() {
  for (const auto& shard : shards_) shard->store().leave();
}

std::size_t ShardedStore::serving() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(shards_, [](const auto& shard) { return shard->store().serving(); }));
}

void ShardedStore::redirect(std::size_t shard, std::string_view reason) {
  shards_[shard]->store().redirect(reason);
}

}  // namespace sluice::store::redis
