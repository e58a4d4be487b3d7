// HTTP/1.1 and 1.0 on a connection.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/http_api.h"
#include "server/protocol.h"
#include "wire/http1/request_parser.h"

namespace sluice::server {

class HttpProtocol final : public Protocol {
 public:
  /// `api` outlives it.
  explicit HttpProtocol(HttpApi& api) : api_(api) {}
  [[nodiscard]] Progress next(std::string_view buffer, Turn& turn) override;
  void time_out(std::string& out) override;

 private:
  HttpApi& api_;
  wire::http1::RequestParser parser_;
  wire::http1::Request request_;
  bool continued_ = false;  ///< "100 Continue" was sent for the request that is arriving
};

}  // namespace sluice::server
