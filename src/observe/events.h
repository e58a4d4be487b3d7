// What happened, for people: few, each worth a line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/time.h"
#include "observe/log.h"

namespace sluice::observe {

struct Event {
  WallTime time{};
  Level level = Level::info;
  std::string kind{};     ///< one of kEventKinds
  std::string message{};  ///< one sentence, without keys
  std::optional<std::string> rule{};
  std::optional<std::string> key{};  ///< as it may be shown: in full only where the settings allow that
  std::optional<std::int64_t> count{};
  std::optional<std::string> key_hash{};  ///< stands for the key in the log, whatever the settings
};

inline constexpr std::array<std::string_view, 8> kEventKinds{"key_denied",     "shard_lost",    "shard_back",
                                                             "reload_refused", "reloaded",      "eviction",
                                                             "failure_policy", "webhook_failed"};

/// Whoever else wants to know. Called from the loop; must not block and must bound what it keeps.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_event(const Event& event) = 0;
};

/// Keeps the last kKept, counts all by kind, logs them, and hands each to a sink, if there is one. How often
/// a kind may come is bounded by who raises it, and that of lines by the log.
class Events {
 public:
  static constexpr std::size_t kKept = 50;

  /// Whether the log has the same by other means.
  enum class Logged : std::uint8_t { no, yes };

  /// The references must outlive it.
  Events(const Clock& clock, Log& log) : clock_(clock), log_(log) {}

  /// Null: none. Must outlive this, or be taken away.
  void set_sink(EventSink* sink) { sink_ = sink; }

  /// `event.time` is filled in here.
  void raise(Event event, Logged logged = Logged::no);

  /// The newest first.
  [[nodiscard]] const std::deque<Event>& recent() const { return recent_; }
  /// How many there were of kEventKinds[kind].
  [[nodiscard]] std::uint64_t count(std::size_t kind) const { return counts_.at(kind); }

 private:
  void write_line(const Event& event);

  const Clock& clock_;
  Log& log_;
  EventSink* sink_ = nullptr;
  std::deque<Event> recent_;
  std::array<std::uint64_t, kEventKinds.size()> counts_{};
};

}  // namespace sluice::observe
