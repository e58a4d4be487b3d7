// A store that answers when the test says so: what a remote one looks like to the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "limiter/limit.h"
#include "store/store.h"

namespace sluice::test {

/// Each request is carried out by the store behind it only when answer() is called, in any order.
class SlowStore final : public store::Store {
 public:
  explicit SlowStore(store::Store& behind) : behind_(behind) {}

  void set_sink(store::StoreSink& sink) override { sink_ = &sink; }

  std::optional<store::Outcome> lease(const store::LeaseRequest& request, std::uint64_t tag) override {
    if (down) return unavailable();
    hold(tag, [this, key = std::string(request.key), limit = *request.limit, extra = request.extra,
               needs = std::vector(request.needs.begin(), request.needs.end())] {
      return *behind_.lease({.key = key, .limit = &limit, .needs = needs, .extra = extra}, 0);
    });
    return std::nullopt;
  }
  std::optional<store::Outcome> peek(std::string_view key, const limiter::Limit& limit, std::int64_t cost,
                                     std::uint64_t tag) override {
    if (down) return unavailable();
    hold(tag, [this, key = std::string(key), limit, cost] { return *behind_.peek(key, limit, cost, 0); });
    return std::nullopt;
  }
  std::optional<store::Outcome> give_back(const store::GiveBack& request, std::uint64_t tag) override {
    if (down) return unavailable();
    hold(tag, [this, key = std::string(request.key), limit = *request.limit, tokens = request.tokens,
               at = request.granted_at, generation = request.generation] {
      return *behind_.give_back(
          {.key = key, .limit = &limit, .tokens = tokens, .granted_at = at, .generation = generation}, 0);
    });
    return std::nullopt;
  }
  std::optional<store::Outcome> reset(std::string_view key, const limiter::Limit& limit,
                                      std::uint64_t tag) override {
    if (down) return unavailable();
    hold(tag, [this, key = std::string(key), limit] { return *behind_.reset(key, limit, 0); });
    return std::nullopt;
  }
  [[nodiscard]] store::Generation generation_of(std::string_view key) const override {
    return down ? 0 : behind_.generation_of(key);
  }
  [[nodiscard]] store::Fleet fleet_of(std::string_view /*key*/) const override {
    return {.members = members, .self = self};
  }

  bool down = false;                 ///< refuses everything at once
  std::vector<std::string> members;  ///< of the fleet
  std::string self;

  [[nodiscard]] std::size_t held() const { return held_.size(); }
  /// Carries out and answers the request held at `index`.
  void answer(std::size_t index = 0) {
    auto [tag, act] = take(index);
    sink_->on_outcome(tag, act());
  }
  void answer_all() {
    while (!held_.empty()) answer();
  }
  /// Carries it out, but its reply is lost.
  void answer_and_lose(std::size_t index = 0) {
    auto [tag, act] = take(index);
    static_cast<void>(act());
    store::Outcome lost;
    lost.error = store::StoreError::unknown;
    sink_->on_outcome(tag, lost);
  }
  /// Fails it without carrying it out.
  void fail(store::StoreError error, std::size_t index = 0) {
    store::Outcome outcome;
    outcome.error = error;
    sink_->on_outcome(take(index).first, outcome);
  }

 private:
  static store::Outcome unavailable() {
    store::Outcome outcome;
    outcome.error = store::StoreError::unavailable;
    return outcome;
  }
  using Act = std::function<store::Outcome()>;
  void hold(std::uint64_t tag, Act act) { held_.emplace_back(tag, std::move(act)); }
  std::pair<std::uint64_t, Act> take(std::size_t index) {
    auto request = std::move(held_.at(index));
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(index));
    return request;
  }

  store::Store& behind_;
  store::StoreSink* sink_ = nullptr;
  std::deque<std::pair<std::uint64_t, Act>> held_;
};

}  // namespace sluice::test
