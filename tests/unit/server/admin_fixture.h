// An admin server on virtual time, over a source that says what the test wants.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "server/admin/admin_server.h"
#include "server/admin/admin_source.h"
#include "support/fake_stream.h"
#include "support/virtual_loop.h"

namespace sluice::test {

class FakeSource final : public server::AdminSource {
 public:
  void append_metrics(std::string& out, server::MetricsFormat format) override {
    out += format == server::MetricsFormat::text ? "a_metric 1\n" : "a_metric 1\n# EOF\n";
  }
  std::string stats() override {
    ++rendered;
    return "{\"number\":" + std::to_string(rendered) + padding + "}";
  }
  Result<std::string> top(const server::TopQuery& query) override {
    asked = query;
    if (query.rule == "none") return failure("there is no rule \"none\"");
    return R"({"keys":[]})";
  }
  server::Health health() override { return state; }

  server::TopQuery asked;
  server::Health state;
  std::size_t rendered = 0;  ///< how often stats() was called
  std::string padding;       ///< makes the document longer
};

struct AdminRig {
  explicit AdminRig(const server::AdminOptions& options = {}) : server(loop, source, options) {}

  FakeWire& connect() {
    wires.emplace_back();
    server.on_connection(std::make_unique<FakeStream>(loop, wires.back()));
    return wires.back();
  }
  /// The client sends bytes, and the turn of the loop ends.
  void send(FakeWire& wire, std::string_view bytes) {
    if (wire.events != nullptr && !wire.paused) wire.events->on_bytes(std::string(bytes));
    loop.turn();
  }
  /// The answer to one request over a connection of its own, which is closed after it.
  std::string ask(std::string_view method, std::string_view target, std::string_view headers = {}) {
    FakeWire& wire = connect();
    send(wire, std::string(method) + " " + std::string(target) +
                   " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" + std::string(headers) + "\r\n");
    return wire.received;
  }
  /// A client that listens to the stream.
  FakeWire& listen() {
    FakeWire& wire = connect();
    send(wire, "GET /v1/stream HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n");
    return wire;
  }

  std::list<FakeWire> wires;
  VirtualLoop loop;
  FakeSource source;
  server::AdminServer server;
};

/// The body of an answer.
inline std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string{} : answer.substr(end + 4);
}

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace sluice::test
