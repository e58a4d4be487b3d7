// What of Lua's own library a script may use.
#pragma once

struct lua_State;

namespace sluice::sim {

/// Opens the library without what reaches outside or depends on more than the script: neither files nor
/// clocks nor random numbers. The table of global variables is left on the stack, for more to be put into it,
/// until seal_globals.
void open_sandbox(lua_State* lua);

/// Takes that table from the stack. From now on scripts cannot change global variables nor the tables of the
/// library, and reading an unknown one is an error. The table lives on in the registry under kGlobals.
void seal_globals(lua_State* lua);

inline constexpr const char* kGlobals = "sluice.globals";

/// To run a script with: makes {err =, source =, line =} of whatever was raised.
int describe_error(lua_State* lua);

}  // namespace sluice::sim
