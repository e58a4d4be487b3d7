#include "observe/event_json.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "observe/events.h"
#include "observe/json.h"

namespace sluice::observe {

std::string event_json(const Event& event) {
  constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warn", "error"};
  const auto time = std::chrono::floor<std::chrono::milliseconds>(event.time.time_since_epoch());
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.number("time_ms", std::int64_t{time.count()});
  json.text("level", kLevels.at(static_cast<std::size_t>(event.level)));
  json.text("kind", event.kind);
  json.text("message", event.message);
  json.text_or_null("rule", event.rule);
  json.text_or_null("key", event.key);
  json.number_or_null("count", event.count);
  json.end_object();
  return out;
}

}  // namespace sluice::observe
