// The commands on keys and strings.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/numbers.h"
#include "sim/redis/replies.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

/// What the words after SET's key and value say.
struct SetOptions {
  enum class If : std::uint8_t { always, absent, present };
  If condition = If::always;
  bool get = false;
  bool keep_expiry = false;
  std::string_view unit{};  ///< "px"; empty: no expiry
  std::string_view expiry{};
};

bool take_flag(SetOptions& options, std::string_view word) {
  if (equals_ignoring_case(word, "get")) {
    options.get = true;
  } else if (equals_ignoring_case(word, "nx") && options.condition != SetOptions::If::present) {
    options.condition = SetOptions::If::absent;
  } else if (equals_ignoring_case(word, "xx") && options.condition != SetOptions::If::absent) {
    options.condition = SetOptions::If::present;
  } else if (equals_ignoring_case(word, "keepttl") && options.unit.empty()) {
    options.keep_expiry = true;
  } else {
    return false;
  }
  return true;
}

std::optional<SetOptions> parse_set(Words words) {
  SetOptions options;
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (take_flag(options, words[i])) continue;
    bool known = false;
    for (const std::string_view unit : {"ex", "px", "exat", "pxat"})
      known = known || equals_ignoring_case(words[i], unit);
    // The same unit once more is taken, another is not.
    const bool other = !options.unit.empty() && !equals_ignoring_case(options.unit, words[i]);
    if (!known || options.keep_expiry || other || i + 1 >= words.size()) return std::nullopt;
    options.unit = words[i];
    options.expiry = words[++i];
  }
  return options;
}

/// Milliseconds since 1970, or an error.
std::int64_t expiry_of(const SetOptions& options, std::int64_t now_ms, std::optional<Value>& error) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kPerSecond = 1000;
  const auto count = integer_of(options.expiry);
  if (!count) {
    error = not_an_integer();
    return 0;
  }
  const std::string unit = lowered(options.unit);
  const bool seconds = unit.starts_with('e');
  const bool relative = !unit.ends_with("at");
  const std::int64_t length =
      seconds && *count > 0 && *count <= kMost / kPerSecond ? *count * kPerSecond : *count;
  const bool too_much = (seconds && *count > kMost / kPerSecond) || (relative && length > kMost - now_ms);
  if (*count <= 0 || too_much) {
    error = Value::error("ERR invalid expire time in 'set' command");
    return 0;
  }
  return relative ? now_ms + length : length;
}

}  // namespace

Value Engine::get(Client& /*client*/, Words words) {
  const Keyspace::Entry* entry = lookup(words[1]);
  if (entry == nullptr) return {};
  return entry->text() != nullptr ? Value::bulk(*entry->text()) : wrong_type();
}

Value Engine::set(Client& client, Words words) {
  const auto options = parse_set(words);
  if (!options) return Value::error("ERR syntax error");
  std::int64_t expires_at = 0;
  if (!options->unit.empty()) {
    std::optional<Value> error;
    expires_at = expiry_of(*options, now_ms(), error);
    if (error) return *std::move(error);
  }
  Value before = options->get ? get(client, words) : Value::ok();
  if (before.is_error()) return before;
  const Keyspace::Entry* entry = lookup(words[1]);
  const bool blocked = options->condition == SetOptions::If::absent    ? entry != nullptr
                       : options->condition == SetOptions::If::present ? entry == nullptr
                                                                       : false;
  if (blocked) return options->get ? std::move(before) : Value{};
  if (options->keep_expiry && entry != nullptr) expires_at = entry->expires_at;
  change({.kind = Effect::Kind::set,
          .key = std::string(words[1]),
          .value = std::string(words[2]),
          .expires_at = expires_at});
  return before;
}

Value Engine::del(Client& /*client*/, Words words) {
  std::int64_t removed = 0;
  for (const std::string_view key : words.subspan(1)) {
    if (lookup(key) == nullptr) continue;
    change({.kind = Effect::Kind::remove, .key = std::string(key)});
    ++removed;
  }
  return Value::of(removed);
}

Value Engine::exists(Client& /*client*/, Words words) {
  std::int64_t found = 0;
  for (const std::string_view key : words.subspan(1)) found += lookup(key) != nullptr ? 1 : 0;
  return Value::of(found);
}

Value Engine::pttl(Client& /*client*/, Words words) {
  constexpr std::int64_t kNoKey = -2;
  constexpr std::int64_t kNoExpiry = -1;
  const Keyspace::Entry* entry = lookup(words[1]);
  if (entry == nullptr) return Value::of(kNoKey);
  return Value::of(entry->expires_at == 0 ? kNoExpiry : entry->expires_at - now_ms());
}

Value Engine::persist(Client& /*client*/, Words words) {
  const Keyspace::Entry* entry = lookup(words[1]);
  if (entry == nullptr || entry->expires_at == 0) return Value::of(0);
  // Only strings can have an expiry here.
  change({.kind = Effect::Kind::set, .key = std::string(words[1]), .value = std::string(*entry->text())});
  return Value::of(1);
}

Value Engine::type(Client& /*client*/, Words words) {
  const Keyspace::Entry* entry = lookup(words[1]);
  if (entry == nullptr) return Value::status("none");
  return Value::status(entry->text() != nullptr ? "string" : "hash");
}

Value Engine::flushall(Client& /*client*/, Words words) {
  const bool known = words.size() == 1 || (words.size() == 2 && (equals_ignoring_case(words[1], "sync") ||
                                                                 equals_ignoring_case(words[1], "async")));
  if (!known) return Value::error("ERR syntax error");
  change({.kind = Effect::Kind::flush});
  return Value::ok();
}

}  // namespace sluice::sim
