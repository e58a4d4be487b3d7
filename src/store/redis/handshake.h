// How a new connection introduces itself. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "store/redis/reply.h"

namespace sluice::store::redis {

struct Credentials {
  std::string username{};     ///< empty: the default user, if there is a password
  std::string password{};     ///< empty: no AUTH
  std::string client_name{};  ///< empty: none
};

/// HELLO 2 with all there is to say; servers that do not know it are told in AUTH and CLIENT SETNAME.
///
/// Servers quote what they do not understand, passwords and all, so no error text of theirs is repeated here
/// when there is a password.
class Handshake {
 public:
  explicit Handshake(Credentials credentials) : credentials_(std::move(credentials)) {}

  enum class State : std::uint8_t {
    waiting,  ///< for more replies
    done,
    failed,   ///< worth another attempt soon
    refused,  ///< our credentials or rights are wrong: only people can mend that
  };
  struct Step {
    State state = State::waiting;
    std::string send{};    ///< bytes to write now
    std::string reason{};  ///< of what failed, for people; no secret in it
  };

  [[nodiscard]] Step begin() const;
  [[nodiscard]] Step on_reply(const Reply& reply);

 private:
  enum class Asked : std::uint8_t { hello, auth, name };

  [[nodiscard]] Step ask_the_old_way();
  [[nodiscard]] Step fail(std::string_view error) const;

  Credentials credentials_;
  Asked asked_ = Asked::hello;
};

}  // namespace sluice::store::redis
