// Commands to bytes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace sluice::store::redis {

/// Appends one command as RESP; `arguments` begin with its name, and are not empty.
void append_command(std::string& out, std::span<const std::string_view> arguments);

}  // namespace sluice::store::redis
