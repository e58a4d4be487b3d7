#include "server/resp_protocol.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "server/commands.h"
#include "server/protocol.h"
#include "wire/resp/reply_writer.h"
#include "wire/resp/request_parser.h"

namespace sluice::server {

RespProtocol::RespProtocol(engine::Engine& engine, const InfoSource& info, std::uint64_t id)
    : engine_(engine), info_(info) {
  connection_.id = id;
}

Progress RespProtocol::next(std::string_view buffer, Turn& turn) {
  switch (parser_.parse(buffer, command_)) {
    case wire::resp::ParseStatus::incomplete:
      return {};
    case wire::resp::ParseStatus::malformed:
      wire::resp::ReplyWriter(turn.out, connection_.protocol)
          .error(std::string("ERR ").append(parser_.error()));
      return {.step = Step::answered, .consumed = buffer.size(), .last = true};
    case wire::resp::ParseStatus::complete:
      break;
  }
  const std::size_t consumed = parser_.consumed();
  if (command_.empty()) return {.step = Step::answered, .consumed = consumed};
  CommandContext context{.engine = engine_,
                         .sink = turn.sink,
                         .tag = turn.tag,
                         .connection = connection_,
                         .info = info_,
                         .out = turn.out,
                         .form = {}};
  switch (run_command(command_, context)) {
    case CommandOutcome::answered:
      return {.step = Step::answered, .consumed = consumed};
    case CommandOutcome::quit:
      return {.step = Step::answered, .consumed = consumed, .last = true};
    case CommandOutcome::waiting:
      break;
  }
  turn.write_later = [form = context.form](const engine::CheckResult& result, std::string& out) {
    write_answer(result, form, out);
  };
  return {.step = Step::waiting, .consumed = consumed};
}

void RespProtocol::time_out(std::string& out) {
  wire::resp::ReplyWriter(out, connection_.protocol)
      .error("ERR the request did not arrive in time; the connection is closed");
}

}  // namespace sluice::server
