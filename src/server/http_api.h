// The HTTP endpoints: requests → engine → responses.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "server/http_identity.h"
#include "server/http_question.h"
#include "server/protocol.h"
#include "wire/http1/request_parser.h"

namespace sluice::server {

/// GET|POST /v1/check, /v1/peek, /v1/refund, /v1/reset, and /v1/authorize for gateways. One per server;
/// connections share it.
class HttpApi {
 public:
  /// `engine` and `clock` outlive it.
  HttpApi(engine::Engine& engine, const Clock& clock, std::shared_ptr<const HttpRules> rules);

  /// Answers into `turn`, or arranges for it.
  [[nodiscard]] Step handle(const wire::http1::Request& request, Turn& turn);

  /// For requests from now on.
  void set_rules(std::shared_ptr<const HttpRules> rules);

 private:
  struct Call;
  Step authorize(const Call& call, Turn& turn);
  Step operate(const Call& call, engine::Operation operation, Turn& turn);
  Step batch(const Call& call, engine::Operation operation, const std::vector<Question>& questions,
             Turn& turn);

  engine::Engine& engine_;
  const Clock& clock_;
  std::shared_ptr<const HttpRules> rules_;
};

}  // namespace sluice::server
