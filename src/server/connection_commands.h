// What stock Redis clients send when they connect. There is no password: the socket's permissions are the
// authentication, so AUTH is accepted whatever it says.
#pragma once

#include "server/commands.h"

namespace sluice::server {

CommandOutcome ping_command(Words words, CommandContext& context);
CommandOutcome echo_command(Words words, CommandContext& context);
CommandOutcome hello_command(Words words, CommandContext& context);
CommandOutcome auth_command(Words words, CommandContext& context);
CommandOutcome select_command(Words words, CommandContext& context);
CommandOutcome client_command(Words words, CommandContext& context);
CommandOutcome command_command(Words words, CommandContext& context);
CommandOutcome info_command(Words words, CommandContext& context);
CommandOutcome quit_command(Words words, CommandContext& context);
CommandOutcome config_command(Words words, CommandContext& context);

/// RESET without arguments.
void reset_connection(CommandContext& context);

}  // namespace sluice::server
