// One store out of several shards, each of them a server of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

/// RedisStoreEvents of several shards; `shard` is the index among the specs. The same conditions hold.
class ShardEvents {
 public:
  virtual ~ShardEvents() = default;
  virtual void on_serving(std::size_t shard, Generation generation, bool new_history) = 0;
  virtual void on_lost(std::size_t shard, std::string_view reason) = 0;
  virtual void on_attempt_failed(std::size_t shard, std::string_view reason) = 0;
  virtual void on_refused(std::size_t shard, ErrorKind kind, std::string_view text) = 0;
  virtual void on_rebooked(std::size_t shard, std::uint64_t keys, std::uint64_t tokens) = 0;
};

struct ShardSpec {
  std::string name{};  ///< decides which keys it has: see Rendezvous
  RedisStoreOptions options{};
};

/// Each key's shard answers for it alone: where one is gone, the keys of the others go on.
class ShardedStore final : public Store {
 public:
  /// At least one shard, their names all different. All references must outlive the store. Does nothing
  /// before start().
  ShardedStore(Loop& loop, Connector& connector, Random& random, ShardEvents& events,
               std::vector<ShardSpec> specs);
  ~ShardedStore() override;
  ShardedStore(const ShardedStore&) = delete;
  ShardedStore& operator=(const ShardedStore&) = delete;

  void start();

  void set_sink(StoreSink& sink) override;
  [[nodiscard]] std::optional<Outcome> lease(const LeaseRequest& request, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> peek(std::string_view key, const limiter::Limit& limit,
                                            std::int64_t cost, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> give_back(const GiveBack& request, std::uint64_t tag) override;
  [[nodiscard]] std::optional<Outcome> reset(std::string_view key, const limiter::Limit& limit,
                                             std::uint64_t tag) override;
  [[nodiscard]] Generation generation_of(std::string_view key) const override;
  [[nodiscard]] Fleet fleet_of(std::string_view key) const override;

  [[nodiscard]] std::size_t size() const { return shards_.size(); }
  [[nodiscard]] const std::string& name(std::size_t shard) const;
  [[nodiscard]] const RedisStore& shard(std::size_t shard) const;
  /// The index of the shard that has the key.
  [[nodiscard]] std::size_t shard_of(std::string_view key) const { return rendezvous_.shard_of(key); }
  /// Tells all shards that we are going: see RedisStore::leave.
  void leave();
  /// How many serve now.
  [[nodiscard]] std::size_t serving() const;

  /// The shard's master has moved: see Connection::redirect.
  void redirect(std::size_t shard, std::string_view reason);

 private:
  class Shard;
  [[nodiscard]] RedisStore& store_of(std::string_view key) const;

  Rendezvous rendezvous_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace sluice::store::redis
