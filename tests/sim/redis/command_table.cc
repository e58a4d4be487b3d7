#include "sim/redis/command_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/engine.h"
#include "sim/redis/numbers.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

constexpr unsigned kWrite = Command::write;
constexpr unsigned kGrowing = Command::write | Command::grows;
constexpr unsigned kLoading = Command::loading;
constexpr unsigned kNoScript = Command::not_in_script;
constexpr unsigned kEval = Command::not_in_script | Command::keys_counted;
constexpr unsigned kParent = Command::parent;
constexpr unsigned kHello = kLoading | kNoScript | Command::busy | Command::no_auth;

constexpr std::array kCommands = {
    Command{"asking", 1, 0, 0, 0, &Engine::asking},
    Command{"auth", -2, kHello, 0, 0, &Engine::auth},
    Command{"client", -2, kParent},
    Command{"client|getname", 2, kLoading | kNoScript, 0, 0, &Engine::client_getname},
    Command{"client|id", 2, kLoading | kNoScript, 0, 0, &Engine::client_id},
    Command{"client|setname", 3, kLoading | kNoScript, 0, 0, &Engine::client_setname},
    Command{"cluster", -2, kParent},
    Command{"cluster|myid", 2, kLoading, 0, 0, &Engine::cluster_myid},
    Command{"cluster|slots", 2, kLoading, 0, 0, &Engine::cluster_slots},
    Command{"del", -2, kWrite, 1, -1, &Engine::del},
    Command{"eval", -3, kEval, 0, 0, &Engine::eval},
    Command{"evalsha", -3, kEval, 0, 0, &Engine::evalsha},
    Command{"exists", -2, 0, 1, -1, &Engine::exists},
    Command{"flushall", -1, kWrite, 0, 0, &Engine::flushall},
    Command{"get", 2, 0, 1, 1, &Engine::get},
    Command{"hdel", -3, kWrite, 1, 1, &Engine::hdel},
    Command{"hello", -1, kHello, 0, 0, &Engine::hello},
    Command{"hget", 3, 0, 1, 1, &Engine::hget},
    Command{"hgetall", 2, 0, 1, 1, &Engine::hgetall},
    Command{"hincrby", 4, kGrowing, 1, 1, &Engine::hincrby},
    Command{"hlen", 2, 0, 1, 1, &Engine::hlen},
    Command{"hmget", -3, 0, 1, 1, &Engine::hmget},
    Command{"hset", -4, kGrowing, 1, 1, &Engine::hset},
    Command{"info", -1, kLoading, 0, 0, &Engine::info},
    Command{"persist", 2, kWrite, 1, 1, &Engine::persist},
    Command{"ping", -1, 0, 0, 0, &Engine::ping},
    Command{"pttl", 2, 0, 1, 1, &Engine::pttl},
    Command{"quit", -1, kHello, 0, 0, &Engine::quit},
    Command{"readonly", 1, kLoading, 0, 0, &Engine::readonly},
    Command{"readwrite", 1, kLoading, 0, 0, &Engine::readonly},
    Command{"role", 1, kLoading | kNoScript, 0, 0, &Engine::role},
    Command{"script", -2, kParent},
    Command{"script|exists", -3, kNoScript, 0, 0, &Engine::script_exists},
    Command{"script|flush", -2, kNoScript, 0, 0, &Engine::script_flush},
    Command{"script|load", 3, kNoScript, 0, 0, &Engine::script_load},
    Command{"select", 2, kLoading, 0, 0, &Engine::select},
    Command{"set", -3, kGrowing, 1, 1, &Engine::set},
    Command{"subscribe", -2, kLoading | kNoScript, 0, 0, &Engine::subscribe},
    Command{"time", 1, kLoading, 0, 0, &Engine::time},
    Command{"type", 2, 0, 1, 1, &Engine::type},
    Command{"unsubscribe", -1, kLoading | kNoScript, 0, 0, &Engine::unsubscribe},
    Command{"wait", 3, kNoScript, 0, 0, &Engine::wait},
};

const Command* by_name(std::string_view name) {
  const auto found = std::ranges::lower_bound(kCommands, name, {}, &Command::name);
  return found != kCommands.end() && found->name == name ? &*found : nullptr;
}

/// At most so many bytes, and none from the first zero on: it goes through C.
std::string_view c_string(std::string_view text, std::size_t most) {
  return text.substr(0, std::min(most, text.find('\0')));
}

constexpr std::size_t kLongestQuote = 128;

}  // namespace

std::string lowered(std::string_view word) {
  std::string lower(word);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::vector<std::string_view> Command::keys(Words words_given) const {
  if (has(keys_counted)) {
    const auto count = integer_of(words_given[2]);
    if (!count || *count <= 0 || *count > static_cast<std::int64_t>(words_given.size()) - 3) return {};
    const Words keys = words_given.subspan(3, static_cast<std::size_t>(*count));
    return {keys.begin(), keys.end()};
  }
  if (first_key == 0) return {};
  const auto first = static_cast<std::size_t>(first_key);
  const std::size_t end = last_key < 0 ? words_given.size() : static_cast<std::size_t>(last_key) + 1;
  const Words keys = words_given.subspan(first, end - first);
  return {keys.begin(), keys.end()};
}

const Command* find_command(Words words) {
  // Almost all words come from scripts, in capitals, or from the product: no name is longer than this.
  constexpr std::size_t kLongest = 16;
  if (words[0].size() > kLongest) return nullptr;
  const Command* command = by_name(lowered(words[0]));
  if (command == nullptr || !command->has(Command::parent) || words.size() < 2) return command;
  const Command* sub = by_name(lowered(words[0]) + '|' + lowered(words[1]));
  return sub != nullptr ? sub : command;
}

Value unknown_command(Words words) {
  std::string arguments;
  for (std::size_t i = 1; i < words.size() && arguments.size() < kLongestQuote; ++i)
    arguments.append("'").append(c_string(words[i], kLongestQuote - arguments.size())).append("' ");
  return Value::error("ERR unknown command '" + std::string(c_string(words[0], kLongestQuote)) +
                      "', with args beginning with: " + arguments);
}

Value unknown_subcommand(Words words) {
  std::string parent(words[0]);
  std::ranges::transform(parent, parent.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return Value::error("ERR unknown subcommand '" + std::string(c_string(words[1], kLongestQuote)) +
                      "'. Try " + parent + " HELP.");
}

Value wrong_arity(std::string_view name) {
  return Value::error("ERR wrong number of arguments for '" + std::string(name) + "' command");
}

}  // namespace sluice::sim
