// Values between Lua and a server.
#pragma once

#include "sim/redis/value.h"

struct lua_State;

namespace sluice::sim {

/// A reply as a script sees it.
void push_value(lua_State* lua, const Value& value);

/// What a script returned, as a reply: numbers lose their fractions, an array ends at its first nil, true is
/// 1 and false nothing. Takes it from the top of the stack.
[[nodiscard]] Value pop_value(lua_State* lua);

}  // namespace sluice::sim
