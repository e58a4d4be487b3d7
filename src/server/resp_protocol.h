// RESP2 and RESP3, arrays and inline commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "server/commands.h"
#include "server/protocol.h"
#include "wire/resp/request_parser.h"

namespace sluice::server {

class RespProtocol final : public Protocol {
 public:
  /// `engine` and `info` outlive it; `id` is the connection's number.
  RespProtocol(engine::Engine& engine, const InfoSource& info, std::uint64_t id);
  [[nodiscard]] Progress next(std::string_view buffer, Turn& turn) override;
  void time_out(std::string& out) override;

 private:
  engine::Engine& engine_;
  const InfoSource& info_;
  Connection connection_;
  wire::resp::RequestParser parser_;
  wire::resp::Command command_;
};

}  // namespace sluice::server
