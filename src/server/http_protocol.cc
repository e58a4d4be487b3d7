#include "server/http_protocol.h"

#include <string>
#include <string_view>
#include <utility>

#include "server/http_answers.h"
#include "server/http_api.h"
#include "server/protocol.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"

namespace sluice::server {

using wire::http1::ParseStatus;

Progress HttpProtocol::next(std::string_view buffer, Turn& turn) {
  switch (parser_.parse(buffer, request_)) {
    case ParseStatus::incomplete:
      return {};
    case ParseStatus::wants_continue:
      if (std::exchange(continued_, true)) return {};
      turn.out += "HTTP/1.1 100 Continue\r\n\r\n";
      return {.step = Step::answered};
    case ParseStatus::malformed:
      wire::http1::append_response(turn.out, problem(parser_.status(), std::string(parser_.message())),
                                   {.head = false, .keep_alive = false, .minor_version = 1});
      return {.step = Step::answered, .consumed = buffer.size(), .last = true};
    case ParseStatus::complete:
      break;
  }
  continued_ = false;
  const bool last = !request_.keep_alive;
  const Step step = api_.handle(request_, turn);
  return {.step = step, .consumed = parser_.consumed(), .last = last};
}

void HttpProtocol::time_out(std::string& out) {
  wire::http1::append_response(out, problem(408, "the request did not arrive in time"),
                               {.head = false, .keep_alive = false, .minor_version = 1});
}

}  // namespace sluice::server
