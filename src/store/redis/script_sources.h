// What cmake/EmbedScripts.cmake makes of scripts/*.lua.
#pragma once

#include "store/redis/scripts.h"

namespace sluice::store::redis::embedded {

[[nodiscard]] ScriptText attach();
[[nodiscard]] ScriptText lease();
[[nodiscard]] ScriptText give_back();
[[nodiscard]] ScriptText peek();
[[nodiscard]] ScriptText reset();
[[nodiscard]] ScriptText rebook();
[[nodiscard]] ScriptText announce();

}  // namespace sluice::store::redis::embedded
