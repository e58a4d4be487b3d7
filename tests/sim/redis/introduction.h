// HELLO, AUTH and SUBSCRIBE: the same of servers and of sentinels.
#pragma once

#include <string_view>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/value.h"

namespace sluice::sim {

/// Who answers HELLO.
struct Introduction {
  std::string_view password{};  ///< empty: none
  std::string_view mode{};      ///< "standalone", "cluster", "sentinel"
  std::string_view role{};      ///< "master", "replica"
};

[[nodiscard]] Value answer_hello(Client& client, Words words, const Introduction& self);
[[nodiscard]] Value answer_auth(Client& client, Words words, std::string_view password);
/// As before Redis 6.
[[nodiscard]] Value answer_old_auth(Client& client, Words words, std::string_view password);

/// False: it is none.
[[nodiscard]] bool set_name(Client& client, std::string_view name);
[[nodiscard]] Value bad_name();

[[nodiscard]] Value answer_subscribe(Client& client, Words words);
[[nodiscard]] Value answer_unsubscribe(Client& client, Words words);

}  // namespace sluice::sim
