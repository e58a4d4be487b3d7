// Fuzzes what servers answer to an introduction. Input: replies. Promises: the handshake ends within a few
// replies; what it sends is whole commands; what it says to people is one line, and never the password.
#include <cstddef>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "fuzz/reply_text.h"
#include "store/redis/errors.h"
#include "store/redis/handshake.h"
#include "store/redis/reply.h"
#include "unit/wire/resp_feed.h"

namespace sluice::fuzz {
namespace {

using store::redis::Credentials;
using store::redis::Handshake;
using store::redis::Reply;

constexpr std::string_view kPassword = "SECRET";

void check_step(const Handshake::Step& step) {
  const auto sent = wire::resp::feed(step.send, {});
  SLUICE_ASSERT(sent.error.empty() && sent.left == 0);
  const bool failed = step.state == Handshake::State::failed || step.state == Handshake::State::refused;
  SLUICE_ASSERT(failed == !step.reason.empty());
  SLUICE_ASSERT(!failed || step.send.empty());
  for (const char c : step.reason) SLUICE_ASSERT(static_cast<unsigned char>(c) >= ' ');
}

void introduce(const Credentials& credentials, Handshake::Role role, std::string_view bytes) {
  Handshake handshake(credentials, role);
  check_step(handshake.begin());
  std::size_t replies = 0;
  for (const Reply& reply : replies_of(bytes)) {
    const auto step = handshake.on_reply(reply);
    check_step(step);
    if (!credentials.password.empty()) SLUICE_ASSERT(!step.reason.contains(kPassword));
    constexpr std::size_t kMost = 4;  // HELLO, AUTH, CLIENT SETNAME, ROLE
    SLUICE_ASSERT(++replies <= kMost);
    if (step.state != Handshake::State::waiting) return;
  }
}

}  // namespace

void run(std::string_view bytes) {
  const std::string password(kPassword);
  for (const auto role : {Handshake::Role::any, Handshake::Role::master}) {
    introduce({}, role, bytes);
    introduce({.password = password}, role, bytes);
    introduce({.username = "sluice", .password = password, .client_name = "sluiced"}, role, bytes);
    introduce({.client_name = "sluiced"}, role, bytes);
  }
}

}  // namespace sluice::fuzz
