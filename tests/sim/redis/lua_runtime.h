// Scripts in Lua 5.1 as Redis 7.0 runs them: a sandbox, redis.call and its kin, conversions both ways.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/value.h"

struct lua_State;

namespace sluice::sim {

/// Who carries out the commands that a script calls.
class ScriptCaller {
 public:
  virtual ~ScriptCaller() = default;
  [[nodiscard]] virtual Value call_from_script(std::span<const std::string_view> words) = 0;
};

/// What is missing: cjson, cmsgpack, struct, bit, math.random, redis.setresp and the replies of RESP3 but
/// double. Each script is compiled once, and what was compiled outlives forget_all().
class LuaRuntime {
 public:
  /// `caller` must outlive it.
  explicit LuaRuntime(ScriptCaller& caller);
  ~LuaRuntime();
  LuaRuntime(const LuaRuntime&) = delete;
  LuaRuntime& operator=(const LuaRuntime&) = delete;

  /// Compiles and remembers. The error: "ERR Error compiling script (new function): user_script:1: …".
  [[nodiscard]] std::optional<Value> load(const std::string& sha1, std::string_view source);
  [[nodiscard]] bool knows(std::string_view sha1) const { return known_.contains(sha1); }
  void forget_all() { known_.clear(); }

  /// Runs a script that is known. Not from within one.
  [[nodiscard]] Value run(std::string_view sha1, std::span<const std::string_view> keys,
                          std::span<const std::string_view> arguments);

 private:
  /// Carries out redis.call with what is on the stack, and leaves the reply there. True: it is an error.
  bool call(lua_State* lua);
  std::optional<std::string> read_words(lua_State* lua);
  void set_list(const char* name, std::span<const std::string_view> texts);
  [[nodiscard]] Value take_error(std::string_view sha1);
  static int on_call(lua_State* lua);
  static int on_pcall(lua_State* lua);

  ScriptCaller& caller_;
  std::unique_ptr<lua_State, void (*)(lua_State*)> lua_;
  std::map<std::string, int, std::less<>> compiled_;  ///< references in Lua's registry
  std::set<std::string, std::less<>> known_;
  std::vector<std::string_view> words_;  ///< of the command under way
  std::deque<std::string> numbers_;      ///< those of the words that were numbers
};

}  // namespace sluice::sim
