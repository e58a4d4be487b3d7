// The RESP commands: words → engine → answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "server/protocol.h"
#include "wire/resp/reply_writer.h"
#include "wire/resp/request_parser.h"

namespace sluice::server {

/// A connection as its client knows it.
struct Connection {
  std::uint64_t id = 0;
  wire::resp::Version protocol = wire::resp::Version::resp2;
  std::string name;
};

/// How a CheckResult is written for the command that asked.
struct AnswerForm {
  enum class Kind : std::uint8_t {
    decision,  ///< CHECK, PEEK, REFUND: array of six in RESP2, map with `warning` in RESP3
    throttle,  ///< CL.THROTTLE: array of five integers
    reset,     ///< RESET: number of counters that were forgotten
  };
  Kind kind = Kind::decision;
  wire::resp::Version protocol = wire::resp::Version::resp2;
};

/// All that a command may touch.
struct CommandContext {
  engine::Engine& engine;
  engine::AnswerSink& sink;
  std::uint64_t tag = 0;  ///< under which a later answer comes to `sink`
  Connection& connection;
  const InfoSource& info;
  std::string& out;   ///< answers are appended here
  AnswerForm form{};  ///< set when the outcome is `waiting`
};

enum class CommandOutcome : std::uint8_t {
  answered,  ///< the answer is in `out`
  waiting,   ///< the engine answers later; write it with write_answer(…, form, …)
  quit,      ///< answered; close the connection
};

using Words = std::span<const std::string_view>;

/// Runs one command of at least one word. Faults of the client are answered as RESP errors that say what
/// would have been right; the connection goes on.
[[nodiscard]] CommandOutcome run_command(Words words, CommandContext& context);

void write_answer(const engine::CheckResult& result, AnswerForm form, std::string& out);

/// One row of the table of commands.
struct CommandSpec {
  std::string_view name;
  std::size_t min_words;  ///< the name included
  std::size_t max_words;
  std::string_view usage;
  CommandOutcome (*run)(Words words, CommandContext& context);
};

[[nodiscard]] std::span<const CommandSpec> command_table();

}  // namespace sluice::server
