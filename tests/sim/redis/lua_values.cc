#include "sim/redis/lua_values.h"
#include "sim/redis/value.h"

extern "C" {
#include <lua5.1/lua.h>
}

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::sim {
namespace {

constexpr int kDeepest = 1000;

void push_text(lua_State* lua, const std::string& text) {
  lua_pushlstring(lua, text.data(), text.size());
}

void push_in_table(lua_State* lua, const char* field, const std::string& text) {
  lua_newtable(lua);
  push_text(lua, text);
  lua_setfield(lua, -2, field);
}

std::string text_at(lua_State* lua, int index) {
  std::size_t size = 0;
  const char* text = lua_tolstring(lua, index, &size);
  return {text, size};
}

/// As the processor converts: what does not fit is the least integer.
std::int64_t truncated(double number) {
  constexpr double kTooMuch = 9223372036854775808.0;
  const bool fits = number > -kTooMuch && number < kTooMuch;
  return fits ? static_cast<std::int64_t>(number) : std::numeric_limits<std::int64_t>::min();
}

Value convert(lua_State* lua, int depth);

/// Of the field of the table on top, if it is a string.
std::optional<std::string> text_field(lua_State* lua, const char* field) {
  lua_pushstring(lua, field);
  lua_rawget(lua, -2);
  std::optional<std::string> text;
  if (lua_type(lua, -1) == LUA_TSTRING) text = text_at(lua, -1);
  lua_pop(lua, 1);
  return text;
}

std::optional<double> number_field(lua_State* lua, const char* field) {
  lua_pushstring(lua, field);
  lua_rawget(lua, -2);
  std::optional<double> number;
  if (lua_type(lua, -1) == LUA_TNUMBER) number = lua_tonumber(lua, -1);
  lua_pop(lua, 1);
  return number;
}

/// Strings with line breaks cannot be simple ones: they become spaces.
Value convert_table(lua_State* lua, int depth) {
  if (auto error = text_field(lua, "err")) return Value::error(*std::move(error));
  if (auto status = text_field(lua, "ok")) return Value::status(*std::move(status));
  if (const auto number = number_field(lua, "double")) {
    Value value;
    value.kind = Value::Kind::number;
    value.number = *number;
    return value;
  }
  std::vector<Value> items;
  for (int i = 1;; ++i) {
    lua_rawgeti(lua, -1, i);
    if (lua_type(lua, -1) == LUA_TNIL) {
      lua_pop(lua, 1);
      return Value::array(std::move(items));
    }
    items.push_back(convert(lua, depth + 1));
    lua_pop(lua, 1);
  }
}

/// Of the value on top, which stays.
Value convert(lua_State* lua, int depth) {
  if (depth > kDeepest || lua_checkstack(lua, 4) == 0) return Value::error("ERR reached lua stack limit");
  switch (lua_type(lua, -1)) {
    case LUA_TSTRING:
      return Value::bulk(text_at(lua, -1));
    case LUA_TBOOLEAN:
      return lua_toboolean(lua, -1) != 0 ? Value::of(1) : Value{};
    case LUA_TNUMBER:
      return Value::of(truncated(lua_tonumber(lua, -1)));
    case LUA_TTABLE:
      return convert_table(lua, depth);
    default:
      return {};
  }
}

}  // namespace

void push_value(lua_State* lua, const Value& value) {
  switch (value.kind) {
    case Value::Kind::nil:
    case Value::Kind::nil_array:
      return lua_pushboolean(lua, 0);
    case Value::Kind::integer:
      return lua_pushnumber(lua, static_cast<double>(value.integer));
    case Value::Kind::number:
      return lua_pushnumber(lua, value.number);
    case Value::Kind::bulk:
      return push_text(lua, value.text);
    case Value::Kind::status:
      return push_in_table(lua, "ok", value.text);
    case Value::Kind::error:
      return push_in_table(lua, "err", value.text);
    case Value::Kind::array:
    case Value::Kind::map:
      lua_createtable(lua, static_cast<int>(value.items.size()), 0);
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        push_value(lua, value.items[i]);
        lua_rawseti(lua, -2, static_cast<int>(i) + 1);
      }
      return;
  }
}

Value pop_value(lua_State* lua) {
  Value value = convert(lua, 0);
  lua_pop(lua, 1);
  return value;
}

}  // namespace sluice::sim
