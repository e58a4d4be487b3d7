// One connection to a simulated server, as its commands see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "sim/network/network.h"
#include "sim/redis/value.h"

namespace sluice::sim {

/// It has asked to be answered only when so many replicas have what it wrote.
struct Wait {
  std::int64_t replicas = 0;
  std::uint64_t offset = 0;  ///< of the last that it wrote
  Duration timeout{};        ///< zero: none
};

struct Client {
  std::uint64_t id = 0;
  HostId from = 0;
  std::string name{};
  bool authenticated = false;
  Resp version = Resp::two;
  bool asking = false;  ///< ASKING came before the present command
  std::uint64_t wrote = 0;
  std::vector<std::string> channels{};  ///< subscribed to, in that order

  /// Set by a command: for the connection to see to. The command's own value is then not sent if it waits.
  std::optional<Wait> wait{};
  bool closing = false;       ///< after the answer
  std::vector<Value> more{};  ///< further answers, before the command's own
};

}  // namespace sluice::sim
