// What the files of net/ share of the loop.
#pragma once

#include <uv.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/time.h"
#include "net/timer_queue.h"
#include "net/uv_loop.h"

namespace sluice::net {

/// The monotonic clock, read once a turn while the loop runs: a turn's callbacks agree on what time it is.
class TurnClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override;
  [[nodiscard]] Instant precise_now() const override { return read(); }
  [[nodiscard]] WallTime wall_now() const override;

  /// The reading that now() would give were nothing cached.
  [[nodiscard]] static Instant read();

  enum class Caching { off, on };
  void set_caching(Caching caching);
  void forget_reading() { reading_.reset(); }

 private:
  Caching caching_ = Caching::off;
  mutable std::optional<Instant> reading_;
};

struct UvLoop::Impl {
  Impl();
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void run();
  void run_tasks();
  TimerId start_timer(Duration after, std::function<void()> fire);
  void fire_timers();
  /// Sets the alarm for the earliest timer. It may ring too early after that one is stopped, which is cheaper
  /// than setting it anew for each of the many timers that never fire.
  void set_alarm();

  struct Signal {
    uv_signal_t handle{};
    std::function<void()> handle_signal;
  };

  static constexpr std::uint64_t kUnset = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t kReadBufferBytes = std::size_t{64} * 1024;

  uv_loop_t loop{};
  uv_prepare_t before_wait{};
  uv_check_t after_wait{};
  uv_timer_t alarm{};
  std::uint64_t alarm_ms = kUnset;  ///< when it rings, on libuv's clock
  bool stop_requested = false;
  TurnClock clock;
  TimerQueue timers;
  std::vector<std::function<void()>> tasks;
  std::vector<std::unique_ptr<Signal>> signals;
  /// One for all connections: a read and its on_bytes are over before the next read begins.
  std::array<char, kReadBufferBytes> read_buffer{};
};

}  // namespace sluice::net
