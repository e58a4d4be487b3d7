// What the verbs print, and which daemon they mean.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ctl/commands.h"

namespace sluice::ctl {

/// Says what went wrong on the standard error output; returns kExitError.
int fail(std::string_view message);

/// To the standard output, as it is.
void print(std::string_view text);

/// --socket, or what the configuration says, or its default where there is no configuration.
[[nodiscard]] Result<std::string> socket_path(const Options& options);

/// --admin, or what the configuration says. Empty: there is no admin listener.
[[nodiscard]] Result<std::string> admin_address(const Options& options);

}  // namespace sluice::ctl
