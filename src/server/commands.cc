#include "server/commands.h"

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "server/connection_commands.h"
#include "server/limit_commands.h"
#include "wire/resp/reply_writer.h"

namespace sluice::server {
namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

constexpr std::array<CommandSpec, 15> kCommands{{
    {"CHECK", 2, kAny, "CHECK name=value [name=value …] [COST n]", check_command},
    {"PEEK", 2, kAny, "PEEK name=value [name=value …] [COST n]", peek_command},
    {"REFUND", 2, kAny, "REFUND name=value [name=value …] [COST n]", refund_command},
    {"RESET", 1, kAny, "RESET [name=value …]", reset_command},
    {"CL.THROTTLE", 5, 6, "CL.THROTTLE key max_burst count period [quantity]", throttle_command},
    {"PING", 1, 2, "PING [message]", ping_command},
    {"ECHO", 2, 2, "ECHO message", echo_command},
    {"HELLO", 1, kAny, "HELLO [2|3] [AUTH user password] [SETNAME name]", hello_command},
    {"AUTH", 2, 3, "AUTH [user] password", auth_command},
    {"SELECT", 2, 2, "SELECT 0", select_command},
    {"CLIENT", 2, kAny, "CLIENT SETNAME|GETNAME|SETINFO|ID …", client_command},
    {"COMMAND", 1, kAny, "COMMAND [COUNT|DOCS|INFO|LIST …]", command_command},
    {"INFO", 1, kAny, "INFO", info_command},
    {"QUIT", 1, 1, "QUIT", quit_command},
    {"CONFIG", 2, kAny, "CONFIG GET name", config_command},
}};

std::string unknown_command(std::string_view name) {
  std::array<std::string_view, kCommands.size()> names;
  for (std::size_t i = 0; i < kCommands.size(); ++i) names[i] = kCommands[i].name;
  return "ERR unknown command '" + printable(name) + "'" + did_you_mean(name, names);
}

}  // namespace

std::span<const CommandSpec> command_table() {
  return kCommands;
}

CommandOutcome run_command(Words words, CommandContext& context) {
  wire::resp::ReplyWriter reply(context.out, context.connection.protocol);
  for (const CommandSpec& command : kCommands) {
    if (!equals_ignoring_case(words[0], command.name)) continue;
    if (words.size() < command.min_words || words.size() > command.max_words) {
      reply.error("ERR wrong number of arguments; usage: " + std::string(command.usage));
      return CommandOutcome::answered;
    }
    return command.run(words, context);
  }
  reply.error(unknown_command(words[0]));
  return CommandOutcome::answered;
}

}  // namespace sluice::server
