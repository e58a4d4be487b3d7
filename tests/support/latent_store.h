// A store behind a network: every request and every reply takes its time, and some replies get lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limiter/limit.h"
#include "store/store.h"
#include "support/virtual_loop.h"

namespace sluice::test {

/// One way takes `shortest` to `longest`, drawn anew each time but never overtaking: requests and replies
/// keep their order, as on one connection.
class LatentStore final : public store::Store {
 public:
  struct Options {
    Duration shortest = std::chrono::microseconds{150};
    Duration longest = std::chrono::microseconds{500};
    std::uint64_t lost_per_mille = 0;  ///< replies that come as "unknown", after `lost_after`
    Duration lost_after = std::chrono::milliseconds{50};
  };

  LatentStore(VirtualLoop& loop, SeededRandom& random, store::Store& behind, Options options)
      : loop_(loop), random_(random), behind_(behind), options_(options) {}

  void set_sink(store::StoreSink& sink) override { sink_ = &sink; }

  std::optional<store::Outcome> lease(const store::LeaseRequest& request, std::uint64_t tag) override {
    return send(tag, [this, key = std::string(request.key), limit = *request.limit, extra = request.extra,
                      needs = std::vector(request.needs.begin(), request.needs.end())] {
      return *behind_.lease({.key = key, .limit = &limit, .needs = needs, .extra = extra}, 0);
    });
  }
  std::optional<store::Outcome> peek(std::string_view key, const limiter::Limit& limit, std::int64_t cost,
                                     std::uint64_t tag) override {
    return send(tag,
                [this, key = std::string(key), limit, cost] { return *behind_.peek(key, limit, cost, 0); });
  }
  std::optional<store::Outcome> give_back(const store::GiveBack& request, std::uint64_t tag) override {
    return send(tag, [this, key = std::string(request.key), limit = *request.limit, tokens = request.tokens,
                      at = request.granted_at, generation = request.generation] {
      return *behind_.give_back(
          {.key = key, .limit = &limit, .tokens = tokens, .granted_at = at, .generation = generation}, 0);
    });
  }
  std::optional<store::Outcome> reset(std::string_view key, const limiter::Limit& limit,
                                      std::uint64_t tag) override {
    return send(tag, [this, key = std::string(key), limit] { return *behind_.reset(key, limit, 0); });
  }
  [[nodiscard]] store::Generation generation_of(std::string_view key) const override {
    return behind_.generation_of(key);
  }

  [[nodiscard]] std::uint64_t operations() const { return operations_; }

 private:
  using Act = std::function<store::Outcome()>;

  std::optional<store::Outcome> send(std::uint64_t tag, Act act) {
    ++operations_;
    loop_.start_timer(delay(outward_), [this, tag, act = std::move(act)] {
      store::Outcome outcome = act();
      Duration wait = delay(homeward_);
      if (random_.below(1000) < options_.lost_per_mille) {
        outcome = {};
        outcome.error = store::StoreError::unknown;
        wait = options_.lost_after;
      }
      loop_.start_timer(wait, [this, tag, outcome] { sink_->on_outcome(tag, outcome); });
    });
    return std::nullopt;
  }

  /// From now until the arrival, which is not before that of the one before.
  Duration delay(Instant& last) {
    const auto spread = static_cast<std::uint64_t>((options_.longest - options_.shortest).count()) + 1;
    const Instant now = loop_.clock().now();
    const auto drawn = now + options_.shortest + Duration{static_cast<Duration::rep>(random_.below(spread))};
    last = drawn < last ? last : drawn;
    return last - now;
  }

  VirtualLoop& loop_;
  SeededRandom& random_;
  store::Store& behind_;
  Options options_;
  store::StoreSink* sink_ = nullptr;
  std::uint64_t operations_ = 0;
  Instant outward_{};
  Instant homeward_{};
};

}  // namespace sluice::test
