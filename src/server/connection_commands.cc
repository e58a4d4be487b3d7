#include "server/connection_commands.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/version.h"
#include "server/commands.h"
#include "wire/resp/reply_writer.h"

namespace sluice::server {
namespace {

using wire::resp::ReplyWriter;
using wire::resp::Version;

/// Longest connection name kept; Redis clients use a few dozen bytes.
constexpr std::size_t kMaxName = 256;

ReplyWriter writer(CommandContext& context) {
  return {context.out, context.connection.protocol};
}

CommandOutcome ok(CommandContext& context) {
  writer(context).simple("OK");
  return CommandOutcome::answered;
}

CommandOutcome fail(CommandContext& context, const std::string& error) {
  writer(context).error(error);
  return CommandOutcome::answered;
}

/// Spaces and newlines would break lists of clients, as in Redis.
bool valid_name(std::string_view name) {
  if (name.size() > kMaxName) return false;
  for (const char c : name) {
    if (c < '!' || c > '~') return false;
  }
  return true;
}

/// HELLO's options; nothing is changed unless all are right.
struct Hello {
  Version protocol;
  std::string name;
};

/// Empty: fine.
std::string parse_hello(Words words, Hello& hello) {
  if (words.size() == 1) return {};
  if (words[1] == "2") {
    hello.protocol = Version::resp2;
  } else if (words[1] == "3") {
    hello.protocol = Version::resp3;
  } else {
    return "NOPROTO unsupported protocol version";
  }
  for (std::size_t i = 2; i < words.size();) {
    if (equals_ignoring_case(words[i], "AUTH") && i + 2 < words.size()) {
      i += 3;
    } else if (equals_ignoring_case(words[i], "SETNAME") && i + 1 < words.size()) {
      if (!valid_name(words[i + 1]))
        return "ERR Client names cannot contain spaces, newlines or special characters.";
      hello.name = words[i + 1];
      i += 2;
    } else {
      return "ERR Syntax error in HELLO option '" + printable(words[i]) + "'";
    }
  }
  return {};
}

void describe_command(ReplyWriter& reply, const CommandSpec& command) {
  const bool fixed = command.max_words == command.min_words;
  const auto arity = static_cast<std::int64_t>(command.min_words);
  reply.array(6);
  reply.bulk(command.name);
  reply.integer(fixed ? arity : -arity);
  reply.array(0);
  reply.integer(0);
  reply.integer(0);
  reply.integer(0);
}

void describe_documentation(ReplyWriter& reply, const CommandSpec& command) {
  reply.bulk(command.name);
  reply.map(1);
  reply.bulk("summary");
  reply.bulk(command.usage);
}

}  // namespace

CommandOutcome ping_command(Words words, CommandContext& context) {
  if (words.size() == 2) return echo_command(words, context);
  writer(context).simple("PONG");
  return CommandOutcome::answered;
}

CommandOutcome echo_command(Words words, CommandContext& context) {
  writer(context).bulk(words[1]);
  return CommandOutcome::answered;
}

CommandOutcome hello_command(Words words, CommandContext& context) {
  Hello hello{.protocol = context.connection.protocol, .name = context.connection.name};
  if (const std::string error = parse_hello(words, hello); !error.empty()) return fail(context, error);
  context.connection.protocol = hello.protocol;
  context.connection.name = hello.name;
  ReplyWriter reply = writer(context);
  reply.map(7);
  reply.bulk("server");
  reply.bulk("sluice");
  reply.bulk("version");
  reply.bulk(version());
  reply.bulk("proto");
  reply.integer(hello.protocol == Version::resp3 ? 3 : 2);
  reply.bulk("id");
  reply.integer(static_cast<std::int64_t>(context.connection.id));
  reply.bulk("mode");
  reply.bulk("standalone");
  reply.bulk("role");
  reply.bulk("master");
  reply.bulk("modules");
  reply.array(0);
  return CommandOutcome::answered;
}

CommandOutcome auth_command(Words /*words*/, CommandContext& context) {
  return ok(context);
}

CommandOutcome select_command(Words words, CommandContext& context) {
  if (words[1] != "0") return fail(context, "ERR DB index is out of range: there is only 0");
  return ok(context);
}

CommandOutcome client_command(Words words, CommandContext& context) {
  const std::string_view what = words[1];
  if (equals_ignoring_case(what, "ID") && words.size() == 2) {
    writer(context).integer(static_cast<std::int64_t>(context.connection.id));
    return CommandOutcome::answered;
  }
  if (equals_ignoring_case(what, "GETNAME") && words.size() == 2) {
    if (context.connection.name.empty()) {
      writer(context).null();
    } else {
      writer(context).bulk(context.connection.name);
    }
    return CommandOutcome::answered;
  }
  if (equals_ignoring_case(what, "SETNAME") && words.size() == 3) {
    if (!valid_name(words[2])) {
      return fail(context, "ERR Client names cannot contain spaces, newlines or special characters.");
    }
    context.connection.name = words[2];
    return ok(context);
  }
  if (equals_ignoring_case(what, "SETINFO") && words.size() == 4) return ok(context);
  return fail(
      context,
      "ERR unknown CLIENT subcommand or wrong number of arguments; known: SETNAME, GETNAME, SETINFO, ID");
}

CommandOutcome command_command(Words words, CommandContext& context) {
  ReplyWriter reply = writer(context);
  const auto table = command_table();
  const std::string_view what = words.size() > 1 ? words[1] : std::string_view{};
  if (words.size() == 1) {
    reply.array(table.size());
    for (const CommandSpec& command : table) describe_command(reply, command);
  } else if (equals_ignoring_case(what, "COUNT")) {
    reply.integer(static_cast<std::int64_t>(table.size()));
  } else if (equals_ignoring_case(what, "LIST")) {
    reply.array(table.size());
    for (const CommandSpec& command : table) reply.bulk(command.name);
  } else if (equals_ignoring_case(what, "DOCS")) {
    reply.map(table.size());
    for (const CommandSpec& command : table) describe_documentation(reply, command);
  } else if (equals_ignoring_case(what, "INFO")) {
    reply.array(words.size() - 2);
    for (const std::string_view name : words.subspan(2)) {
      const CommandSpec* found = nullptr;
      for (const CommandSpec& command : table) {
        if (equals_ignoring_case(name, command.name)) found = &command;
      }
      if (found != nullptr) {
        describe_command(reply, *found);
      } else {
        reply.null();
      }
    }
  } else {
    reply.error("ERR unknown COMMAND subcommand; known: COUNT, DOCS, INFO, LIST");
  }
  return CommandOutcome::answered;
}

CommandOutcome info_command(Words /*words*/, CommandContext& context) {
  writer(context).bulk(context.info.info());
  return CommandOutcome::answered;
}

CommandOutcome quit_command(Words /*words*/, CommandContext& context) {
  writer(context).simple("OK");
  return CommandOutcome::quit;
}

CommandOutcome config_command(Words words, CommandContext& context) {
  if (!equals_ignoring_case(words[1], "GET")) {
    return fail(context,
                "ERR settings are changed in the configuration file, which is reloaded when it changes");
  }
  // redis-benchmark asks for these two and warns when it is told nothing.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kKnown{
      {{"save", ""}, {"appendonly", "no"}}};
  ReplyWriter reply = writer(context);
  for (const auto& [name, value] : kKnown) {
    if (words.size() != 3 || !equals_ignoring_case(words[2], name)) continue;
    reply.map(1);
    reply.bulk(name);
    reply.bulk(value);
    return CommandOutcome::answered;
  }
  reply.map(0);
  return CommandOutcome::answered;
}

void reset_connection(CommandContext& context) {
  context.connection.protocol = Version::resp2;
  context.connection.name.clear();
  writer(context).simple("RESET");
}

}  // namespace sluice::server
