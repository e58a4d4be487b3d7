// The commands that limit: CHECK, PEEK, REFUND, RESET, CL.THROTTLE.
#pragma once

#include "server/commands.h"

namespace sluice::server {

CommandOutcome check_command(Words words, CommandContext& context);
CommandOutcome peek_command(Words words, CommandContext& context);
CommandOutcome refund_command(Words words, CommandContext& context);
/// Without arguments it is Redis' own RESET, which puts the connection back to how it was when it was new.
CommandOutcome reset_command(Words words, CommandContext& context);
/// As redis-cell, with its figures rounded up properly and its errors under ERR.
CommandOutcome throttle_command(Words words, CommandContext& context);

}  // namespace sluice::server
