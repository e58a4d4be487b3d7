#include "sim/redis/lua_sandbox.h"

extern "C" {
#include <lua5.1/lauxlib.h>
#include <lua5.1/lua.h>
#include <lua5.1/lualib.h>
}

#include <array>

namespace sluice::sim {
namespace {

// In all that Lua calls nothing may have a destructor where an error can be raised: errors are long jumps.

int on_unknown_global(lua_State* lua) {
  const char* name = lua_tostring(lua, 2);
  return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'",
                    name != nullptr ? name : "?");
}

int on_change(lua_State* lua) {
  return luaL_error(lua, "Attempt to modify a readonly table");
}

/// As Redis has it: an error with a table is caught as that table's text.
int protected_call(lua_State* lua) {
  luaL_checkany(lua, 1);
  const bool good = lua_pcall(lua, lua_gettop(lua) - 1, LUA_MULTRET, 0) == 0;
  lua_pushboolean(lua, good ? 1 : 0);
  lua_insert(lua, 1);
  if (!good && lua_istable(lua, 2)) {
    lua_getfield(lua, 2, "err");
    if (lua_isstring(lua, -1) != 0) {
      lua_replace(lua, 2);
    } else {
      lua_pop(lua, 1);
    }
  }
  return lua_gettop(lua);
}

void open(lua_State* lua, lua_CFunction library, const char* name) {
  lua_pushcfunction(lua, library);
  lua_pushstring(lua, name);
  lua_call(lua, 1, 0);
}

void remove_fields(lua_State* lua, int table, const char* const* names) {
  for (; *names != nullptr; ++names) {
    lua_pushnil(lua);
    lua_setfield(lua, table, *names);
  }
}

/// Replaces the table on top of the stack by an empty one that shows it and lets nobody change it.
void protect_top(lua_State* lua) {
  lua_newtable(lua);
  lua_newtable(lua);
  lua_pushvalue(lua, -3);
  lua_setfield(lua, -2, "__index");
  lua_pushcfunction(lua, on_change);
  lua_setfield(lua, -2, "__newindex");
  lua_pushboolean(lua, 0);
  lua_setfield(lua, -2, "__metatable");
  lua_setmetatable(lua, -2);
  lua_remove(lua, -2);
}

}  // namespace

void open_sandbox(lua_State* lua) {
  open(lua, luaopen_base, "");
  open(lua, luaopen_table, LUA_TABLIBNAME);
  open(lua, luaopen_string, LUA_STRLIBNAME);
  open(lua, luaopen_math, LUA_MATHLIBNAME);
  lua_newtable(lua);
  const int globals = lua_gettop(lua);
  constexpr std::array kKept = {"assert",       "collectgarbage", "coroutine", "error",      "gcinfo",
                                "getmetatable", "ipairs",         "load",      "loadstring", "math",
                                "next",         "pairs",          "rawequal",  "rawget",     "rawset",
                                "select",       "setmetatable",   "string",    "table",      "tonumber",
                                "tostring",     "type",           "unpack",    "xpcall"};
  for (const char* name : kKept) {
    lua_getglobal(lua, name);
    lua_setfield(lua, globals, name);
  }
  lua_pushcfunction(lua, protected_call);
  lua_setfield(lua, globals, "pcall");
  constexpr std::array<const char*, 3> kRandom = {"random", "randomseed", nullptr};
  lua_getfield(lua, globals, "math");
  remove_fields(lua, lua_gettop(lua), kRandom.data());
  lua_pop(lua, 1);
}

void seal_globals(lua_State* lua) {
  const int globals = lua_gettop(lua);
  for (const char* name : {"string", "math", "table", "redis"}) {
    lua_getfield(lua, globals, name);
    protect_top(lua);
    lua_setfield(lua, globals, name);
  }
  lua_newtable(lua);
  lua_pushcfunction(lua, on_unknown_global);
  lua_setfield(lua, -2, "__index");
  lua_setmetatable(lua, globals);
  lua_pushvalue(lua, globals);
  lua_setfield(lua, LUA_REGISTRYINDEX, kGlobals);
  protect_top(lua);
  lua_pushvalue(lua, -1);
  lua_getfield(lua, LUA_REGISTRYINDEX, kGlobals);
  lua_insert(lua, -2);
  lua_setfield(lua, -2, "_G");
  lua_pop(lua, 1);
  lua_replace(lua, LUA_GLOBALSINDEX);
}

int describe_error(lua_State* lua) {
  lua_Debug where{};
  bool known = lua_getstack(lua, 1, &where) != 0 && lua_getinfo(lua, "Sl", &where) != 0;
  if (known && where.what[0] == 'C')
    known = lua_getstack(lua, 2, &where) != 0 && lua_getinfo(lua, "Sl", &where) != 0;
  if (!lua_istable(lua, 1)) {
    const char* text = lua_tostring(lua, 1);
    lua_newtable(lua);
    lua_pushfstring(lua, "ERR %s", text != nullptr ? text : luaL_typename(lua, 1));
    lua_setfield(lua, -2, "err");
    lua_replace(lua, 1);
  }
  lua_settop(lua, 1);
  if (known) {
    lua_pushstring(lua, where.source);
    lua_setfield(lua, 1, "source");
    lua_pushinteger(lua, where.currentline);
    lua_setfield(lua, 1, "line");
  }
  return 1;
}

}  // namespace sluice::sim
