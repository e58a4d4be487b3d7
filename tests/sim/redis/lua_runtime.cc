#include "sim/redis/lua_runtime.h"

extern "C" {
#include <lua5.1/lauxlib.h>
#include <lua5.1/lua.h>
}

#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "sim/redis/lua_sandbox.h"
#include "sim/redis/lua_values.h"
#include "sim/redis/sha1.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

std::string text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return text != nullptr ? std::string(text, size) : std::string();
}

int push_error(lua_State* lua, std::string_view text) {
  push_value(lua, Value::error(std::string(text)));
  return 1;
}

// redis.error_reply and redis.status_reply.

bool has_one_string(lua_State* lua) {
  return lua_gettop(lua) == 1 && lua_type(lua, 1) == LUA_TSTRING;
}

int on_error_reply(lua_State* lua) {
  if (!has_one_string(lua)) return push_error(lua, "ERR wrong number or type of arguments");
  std::string text = text_at(lua, 1);
  const bool has_code = text.contains(' ');
  if (text.starts_with('-')) text.erase(0, 1);
  return push_error(lua, has_code ? text : "ERR " + text);
}

int on_status_reply(lua_State* lua) {
  if (!has_one_string(lua)) return push_error(lua, "ERR wrong number or type of arguments");
  push_value(lua, Value::status(text_at(lua, 1)));
  return 1;
}

int raise(lua_State* lua, const char* text) {
  push_error(lua, text);
  return lua_error(lua);
}

void push_sha1(lua_State* lua) {
  const std::string hex = sha1_hex(text_at(lua, 1));
  lua_pushlstring(lua, hex.data(), hex.size());
}

int on_sha1hex(lua_State* lua) {
  if (lua_gettop(lua) != 1) return raise(lua, "ERR wrong number of arguments");
  push_sha1(lua);
  return 1;
}

void set_function(lua_State* lua, const char* name, lua_CFunction function, void* self) {
  lua_pushlightuserdata(lua, self);
  lua_pushcclosure(lua, function, 1);
  lua_setfield(lua, -2, name);
}

}  // namespace

LuaRuntime::LuaRuntime(ScriptCaller& caller) : caller_(caller), lua_(luaL_newstate(), lua_close) {
  lua_State* lua = lua_.get();
  SLUICE_ASSERT(lua != nullptr);
  open_sandbox(lua);
  lua_newtable(lua);
  set_function(lua, "call", &LuaRuntime::on_call, this);
  set_function(lua, "pcall", &LuaRuntime::on_pcall, this);
  set_function(lua, "error_reply", on_error_reply, nullptr);
  set_function(lua, "status_reply", on_status_reply, nullptr);
  set_function(lua, "sha1hex", on_sha1hex, nullptr);
  lua_setfield(lua, -2, "redis");
  seal_globals(lua);
}

LuaRuntime::~LuaRuntime() = default;

std::optional<Value> LuaRuntime::load(const std::string& sha1, std::string_view source) {
  if (!compiled_.contains(sha1)) {
    lua_State* lua = lua_.get();
    if (luaL_loadbuffer(lua, source.data(), source.size(), "@user_script") != 0) {
      const std::string reason = text_at(lua, -1);
      lua_pop(lua, 1);
      return Value::error("ERR Error compiling script (new function): " + reason);
    }
    compiled_.emplace(sha1, luaL_ref(lua, LUA_REGISTRYINDEX));
  }
  known_.insert(sha1);
  return std::nullopt;
}

void LuaRuntime::set_list(const char* name, std::span<const std::string_view> texts) {
  lua_State* lua = lua_.get();
  lua_createtable(lua, static_cast<int>(texts.size()), 0);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    lua_pushlstring(lua, texts[i].data(), texts[i].size());
    lua_rawseti(lua, -2, static_cast<int>(i) + 1);
  }
  lua_setfield(lua, -2, name);
}

Value LuaRuntime::run(std::string_view sha1, std::span<const std::string_view> keys,
                      std::span<const std::string_view> arguments) {
  lua_State* lua = lua_.get();
  SLUICE_ASSERT(lua_gettop(lua) == 0 && knows(sha1));
  lua_getfield(lua, LUA_REGISTRYINDEX, kGlobals);
  set_list("KEYS", keys);
  set_list("ARGV", arguments);
  lua_settop(lua, 0);
  lua_pushcfunction(lua, describe_error);
  lua_rawgeti(lua, LUA_REGISTRYINDEX, compiled_.find(sha1)->second);
  const bool good = lua_pcall(lua, 0, 1, 1) == 0;
  Value value = good ? pop_value(lua) : take_error(sha1);
  lua_settop(lua, 0);
  return value;
}

Value LuaRuntime::take_error(std::string_view sha1) {
  lua_State* lua = lua_.get();
  if (!lua_istable(lua, -1)) return Value::error("ERR " + text_at(lua, -1));
  const auto field = [lua](const char* name) {
    lua_getfield(lua, -1, name);
    std::string text = text_at(lua, -1);
    lua_pop(lua, 1);
    return text;
  };
  std::string text = field("err");
  if (text.empty()) text = "ERR unknown error";
  text.append(" script: ").append(sha1);
  const std::string source = field("source");
  if (!source.empty()) text += ", on " + source + ":" + field("line") + ".";
  return Value::error(std::move(text));
}

// What a script calls.

std::optional<std::string> LuaRuntime::read_words(lua_State* lua) {
  words_.clear();
  numbers_.clear();
  const int count = lua_gettop(lua);
  if (count == 0) return "ERR Please specify at least one argument for this redis lib call";
  for (int i = 1; i <= count; ++i) {
    if (lua_type(lua, i) == LUA_TNUMBER) {
      std::array<char, 64> digits{};
      const int size = std::snprintf(digits.data(), digits.size(), "%.17g", lua_tonumber(lua, i));
      numbers_.emplace_back(digits.data(), static_cast<std::size_t>(size));
      words_.push_back(numbers_.back());
    } else if (lua_type(lua, i) == LUA_TSTRING) {
      std::size_t size = 0;
      const char* text = lua_tolstring(lua, i, &size);
      words_.emplace_back(text, size);
    } else {
      return "ERR Lua redis lib command arguments must be strings or integers";
    }
  }
  return std::nullopt;
}

bool LuaRuntime::call(lua_State* lua) {
  const auto refused = read_words(lua);
  const Value value = refused ? Value::error(*refused) : caller_.call_from_script(words_);
  if (lua_checkstack(lua, 16) == 0) return push_error(lua, "ERR reached lua stack limit") == 1;
  push_value(lua, value);
  return value.is_error();
}

int LuaRuntime::on_call(lua_State* lua) {
  auto* self = static_cast<LuaRuntime*>(lua_touserdata(lua, lua_upvalueindex(1)));
  return self->call(lua) ? lua_error(lua) : 1;
}

int LuaRuntime::on_pcall(lua_State* lua) {
  auto* self = static_cast<LuaRuntime*>(lua_touserdata(lua, lua_upvalueindex(1)));
  self->call(lua);
  return 1;
}

}  // namespace sluice::sim
