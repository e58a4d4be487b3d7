// Whether an object that left a task behind in the loop is still there.
#pragma once

#include <memory>
#include <utility>

namespace sluice {

/// A member of who defers tasks, or calls those who may destroy it. Whoever must know takes a Watch first:
///
///     loop.defer([this, watch = liveness_.watch()] { if (watch) flush(); });
class Liveness {
 public:
  /// True for as long as the object lives.
  class Watch {
   public:
    explicit operator bool() const { return *alive_; }

   private:
    friend class Liveness;
    explicit Watch(std::shared_ptr<const bool> alive) : alive_(std::move(alive)) {}
    std::shared_ptr<const bool> alive_;
  };

  Liveness() = default;
  ~Liveness() { *alive_ = false; }
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  [[nodiscard]] Watch watch() const { return Watch(alive_); }

 private:
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sluice
