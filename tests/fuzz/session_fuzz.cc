// Fuzzes a whole connection: bytes → sniffing → session → engine on the embedded store → answers. Promises:
// every way to cut the bytes, and to let turns of the loop end between them, gives the same answers; RESP
// answers are whole replies.
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "server/sniff.h"
#include "support/fake_stream.h"
#include "unit/server/fixture.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::fuzz {
namespace {

/// The interim answer depends on whether the body has come along with the head, as it should.
void drop_continues(std::string& answers) {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  for (std::size_t at = answers.find(kContinue); at != std::string::npos; at = answers.find(kContinue, at))
    answers.erase(at, kContinue.size());
}

std::string answers_to(std::string_view bytes, const std::vector<std::size_t>& cuts) {
  test::ServerRig rig;
  test::FakeWire& wire = rig.connect();
  std::mt19937_64 random = numbers_of(bytes);
  for_each_piece(bytes, cuts, [&](std::string_view piece) {
    if (wire.paused) rig.loop.turn();
    if (wire.events == nullptr || wire.closed || piece.empty()) return;
    SLUICE_ASSERT(!wire.paused || wire.finishing);
    wire.events->on_bytes(piece);
    if (random() % 2 == 0) rig.loop.turn();
  });
  rig.loop.turn();
  if (wire.events != nullptr && !wire.closed) wire.events->on_end();
  rig.loop.turn();
  SLUICE_ASSERT(wire.closed && rig.server.connections() == 0);
  drop_continues(wire.received);
  return wire.received;
}

void check_replies(std::string_view answers) {
  while (!answers.empty()) {
    wire::resp::Value value;
    std::size_t consumed = 0;
    std::string error;
    const auto status = wire::resp::parse_reply(answers, {}, value, consumed, error);
    SLUICE_ASSERT(status == wire::resp::ParseStatus::complete);
    answers.remove_prefix(consumed);
  }
}

}  // namespace

void run(std::string_view bytes) {
  const std::string whole = answers_to(bytes, {});
  for (const auto& cuts : ways_to_cut(bytes)) SLUICE_ASSERT(answers_to(bytes, cuts) == whole);
  if (server::sniff(bytes) == server::Spoken::resp) check_replies(whole);
}

}  // namespace sluice::fuzz
