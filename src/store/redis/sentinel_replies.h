// What sentinels say, taken apart. No I/O.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/connector.h"
#include "base/result.h"
#include "store/redis/reply.h"

namespace sluice::store::redis {

/// Of SENTINEL GET-MASTER-ADDR-BY-NAME. Nothing: there is no master of that name. Hosts are names or bare
/// addresses: "::1" has no brackets.
[[nodiscard]] Result<std::optional<Endpoint>> parse_master_address(const Reply& reply);

/// Of SENTINEL MASTER, out of its fields and values. Nothing if it is an error or has none.
[[nodiscard]] std::optional<std::uint64_t> parse_config_epoch(const Reply& reply);

struct MasterSwitch {
  std::string master{};  ///< its name
  Endpoint from{};
  Endpoint to{};
};

/// Of a message on +switch-master: "name host port host port".
[[nodiscard]] std::optional<MasterSwitch> parse_switch(std::string_view text);

/// Of a host and a port as servers tell them; nothing if they are none.
[[nodiscard]] std::optional<Endpoint> endpoint_of(std::string_view host, std::string_view port);

}  // namespace sluice::store::redis
