// A server on virtual time with clients that are strings.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "server/server.h"
#include "store/memory/memory_store.h"
#include "store/store.h"
#include "support/fake_stream.h"
#include "support/policies.h"
#include "support/slow_store.h"
#include "support/virtual_loop.h"
#include "wire/resp/reply_parser.h"

namespace sluice::test {

/// Five an hour for each user; nothing for `none`.
inline std::shared_ptr<const rules::Policy> five_an_hour() {
  return policy({rule("per-user", {"user"}, "5/hour"), rule("nobody", {"none"}, "0")});
}

struct ServerRig {
  explicit ServerRig(const server::ServerOptions& options = {}, bool slow_store = false)
      : engine(loop, slow_store ? static_cast<store::Store&>(slow) : memory, {}, five_an_hour()),
        server(loop, engine, options) {}

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
  /// One command over a connection of its own; the bytes of the answer.
  std::string ask(const std::vector<std::string_view>& words) {
    FakeWire& wire = connect();
    std::string bytes;
    wire::resp::append_command(bytes, words);
    send(wire, bytes);
    return wire.received;
  }

  std::list<FakeWire> wires;
  VirtualLoop loop;
  SeededRandom random;
  store::MemoryStore memory{loop.clock(), random, {}};
  SlowStore slow{memory};
  engine::Engine engine;
  server::Server server;
};

inline std::string command(const std::vector<std::string_view>& words) {
  std::string out;
  wire::resp::append_command(out, words);
  return out;
}

}  // namespace sluice::test
