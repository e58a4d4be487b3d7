// EVAL and its kin.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/numbers.h"
#include "sim/redis/replies.h"
#include "sim/redis/sha1.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

constexpr std::size_t kBeforeKeys = 3;  // EVAL, the script, the number of keys

}  // namespace

Value Engine::run_script(Client& client, std::string_view sha1, Words words) {
  const std::vector<std::string_view> keys = Command{.flags = Command::keys_counted}.keys(words);
  const Words arguments = words.subspan(kBeforeKeys + keys.size());
  script_client_ = &client;
  script_began_us_ = host_.wall_us();
  script_wrote_ = false;
  Value answer = scripts_.run(sha1, keys, arguments);
  script_client_ = nullptr;
  script_wrote_ = false;
  finish(client);
  host_.on_script(client, sha1, keys, arguments, answer);
  return answer;
}

namespace {

/// Nothing: the number of keys is right.
std::optional<Value> wrong_keys(Words words) {
  const auto count = integer_of(words[2]);
  if (!count) return not_an_integer();
  if (*count > static_cast<std::int64_t>(words.size() - kBeforeKeys))
    return Value::error("ERR Number of keys can't be greater than number of args");
  if (*count < 0) return Value::error("ERR Number of keys can't be negative");
  return std::nullopt;
}

}  // namespace

Value Engine::eval(Client& client, Words words) {
  if (auto wrong = wrong_keys(words)) return *std::move(wrong);
  const std::string sha1 = sha1_hex(words[1]);
  if (auto error = scripts_.load(sha1, words[1])) return *std::move(error);
  return run_script(client, sha1, words);
}

Value Engine::evalsha(Client& client, Words words) {
  const std::string sha1 = lowered(words[1]);
  const Value unknown = Value::error("NOSCRIPT No matching script. Please use EVAL.");
  constexpr std::size_t kSha1Length = 40;
  if (sha1.size() != kSha1Length) return unknown;
  if (auto wrong = wrong_keys(words)) return *std::move(wrong);
  if (!scripts_.knows(sha1)) return unknown;
  return run_script(client, sha1, words);
}

Value Engine::script_load(Client& /*client*/, Words words) {
  std::string sha1 = sha1_hex(words[2]);
  if (auto error = scripts_.load(sha1, words[2])) return *std::move(error);
  return Value::bulk(std::move(sha1));
}

Value Engine::script_exists(Client& /*client*/, Words words) {
  std::vector<Value> known;
  for (const std::string_view sha1 : words.subspan(2))
    known.push_back(Value::of(scripts_.knows(sha1) ? 1 : 0));
  return Value::array(std::move(known));
}

Value Engine::script_flush(Client& /*client*/, Words words) {
  const bool understood =
      words.size() == 2 || (words.size() == 3 && (equals_ignoring_case(words[2], "sync") ||
                                                  equals_ignoring_case(words[2], "async")));
  if (!understood) return Value::error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  scripts_.forget_all();
  return Value::ok();
}

}  // namespace sluice::sim
