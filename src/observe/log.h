// The log: structured lines to standard error, never blocking and never a flood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/time.h"

namespace sluice::observe {

enum class Level : std::uint8_t { debug, info, warn, error };
enum class Format : std::uint8_t { text, json };

/// One name and value of a line. Values hold no secrets, and raw keys only at Level::debug.
struct Field {
  std::string_view name;
  std::string value;
};

/// `2026-11-30T15:40:00.123Z warn reload refused file=sluice.toml line=3`, values quoted where they need it;
/// or the same as one JSON object with "time", "level", "message" and the fields.
[[nodiscard]] std::string render_line(Format format, WallTime time, Level level, std::string_view message,
                                      std::initializer_list<Field> fields);

/// Where lines go.
class LineSink {
 public:
  virtual ~LineSink() = default;
  virtual void write(std::string_view line) = 0;
};

/// Standard error through a thread and a bounded queue of spdlog's: when nobody reads it the oldest lines are
/// dropped, and the loop goes on.
[[nodiscard]] std::unique_ptr<LineSink> stderr_sink();

struct LogOptions {
  Level level = Level::info;
  Format format = Format::text;
  std::size_t max_per_second =
      20;  ///< lines of one message; what is more is counted and told with the next one
};

class Log {
 public:
  /// `clock` must outlive the log.
  Log(const Clock& clock, std::unique_ptr<LineSink> sink, const LogOptions& options);

  void set_level(Level level) { options_.level = level; }
  void set_format(Format format) { options_.format = format; }

  /// `message` is a constant of the program: it is what lines are counted by.
  void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});

 private:
  struct Second {
    Instant began;
    std::size_t lines = 0;
    std::size_t suppressed = 0;
  };
  const Clock& clock_;
  std::unique_ptr<LineSink> sink_;
  LogOptions options_;
  std::map<std::string_view, Second> seconds_;  ///< bound: the messages in the program
};

}  // namespace sluice::observe
