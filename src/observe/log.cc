#include "observe/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <array>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "base/time.h"

namespace sluice::observe {
namespace {

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, 4> kNames{"debug", "info", "warn", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string timestamp(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(time - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::system_clock::duration>(seconds))),
                     millis.count());
}

/// JSON text must be UTF-8; a path or a client's bytes need not be.
std::string json_string(std::string_view text) {
  constexpr std::size_t kLongest = 4096;
  return boost::json::serialize(boost::json::string_view(printable(text, kLongest)));
}

std::string text_value(std::string_view value) {
  const bool plain = !value.empty() && value.find_first_of(" \"=\n\t") == std::string_view::npos;
  return plain ? std::string(value) : json_string(value);
}

class StderrSink final : public LineSink {
 public:
  StderrSink()
      : pool_(std::make_shared<spdlog::details::thread_pool>(kQueue, 1)),
        logger_(std::make_shared<spdlog::async_logger>(
            "sluice", std::make_shared<spdlog::sinks::stderr_sink_mt>(), pool_,
            spdlog::async_overflow_policy::overrun_oldest)) {
    logger_->set_pattern("%v");
    logger_->flush_on(spdlog::level::info);
  }
  void write(std::string_view line) override {
    logger_->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  /// Each place in the queue costs a few hundred bytes whether it is used or not.
  static constexpr std::size_t kQueue = 256;
  std::shared_ptr<spdlog::details::thread_pool> pool_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

}  // namespace

std::string render_line(Format format, WallTime time, Level level, std::string_view message,
                        std::initializer_list<Field> fields) {
  if (format == Format::json) {
    std::string out = fmt::format(R"({{"time":"{}","level":"{}","message":{})", timestamp(time),
                                  name_of(level), json_string(message));
    for (const Field& field : fields) {
      out += fmt::format(",{}:{}", json_string(field.name), json_string(field.value));
    }
    return out + "}";
  }
  std::string out = fmt::format("{} {} {}", timestamp(time), name_of(level), message);
  for (const Field& field : fields) out += fmt::format(" {}={}", field.name, text_value(field.value));
  return out;
}

std::unique_ptr<LineSink> stderr_sink() {
  return std::make_unique<StderrSink>();
}

Log::Log(const Clock& clock, std::unique_ptr<LineSink> sink, const LogOptions& options)
    : clock_(clock), sink_(std::move(sink)), options_(options) {}

void Log::write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (level < options_.level) return;
  const Instant now = clock_.now();
  Second& second = seconds_[message];
  if (now - second.began >= std::chrono::seconds{1} || second.lines == 0) {
    const std::size_t suppressed = second.suppressed;
    second = {.began = now, .lines = 0, .suppressed = 0};
    if (suppressed > 0) {
      sink_->write(render_line(options_.format, clock_.wall_now(), level, message,
                               {{.name = "suppressed", .value = std::to_string(suppressed)}}));
    }
  }
  if (second.lines >= options_.max_per_second) {
    ++second.suppressed;
    return;
  }
  ++second.lines;
  sink_->write(render_line(options_.format, clock_.wall_now(), level, message, fields));
}

}  // namespace sluice::observe
