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

/// HELLO 2 with all there is to say; servers that do not know it are told in AUTH and CLIENT SETNAME. Then,
/// if it matters, ROLE.
///
/// Servers quote what they do not understand, passwords and all, so no error text of theirs is repeated here
/// when there is a password.
class Handshake {
 public:
  /// Which servers will do. One that does not know ROLE, or does not let us ask, is taken for a master.
  enum class Role : std::uint8_t { any, master };

  explicit Handshake(Credentials credentials, Role wanted = Role::any)
      : credentials_(std::move(credentials)), wanted_(wanted) {}

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
  enum class Asked : std::uint8_t { hello, auth, name, role };

  [[nodiscard]] Step ask_the_old_way();
  [[nodiscard]] Step introduced();
  [[nodiscard]] Step judge_role(const Reply& reply) const;
  [[nodiscard]] Step fail(std::string_view error) const;

  Credentials credentials_;
  Role wanted_;
  Asked asked_ = Asked::hello;
};

}  // namespace sluice::store::redis
