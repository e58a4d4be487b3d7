// What the simulated servers tell the world's books: all that the real ones would have to be believed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "sim/core/timeline.h"
#include "sim/network/network.h"

namespace sluice::sim {

/// One run of one of our scripts that changed a counter or the members, seen from the server.
struct ScriptRun {
  SimTime at{};
  HostId server = 0;
  std::string_view client;  ///< name that the connection gave itself (CLIENT SETNAME or HELLO)
  HostId from = 0;          ///< host of the client
  std::string_view script;  ///< "lease", "give_back", "rebook", "attach", "announce", "reset", "peek"
  std::string_view key;     ///< KEYS[1] of the counting scripts; the meta hash of the others
  const std::vector<std::string>* arguments = nullptr;
  /// Integers of the reply's array, 0 for elements of other kinds; empty if it was an error.
  std::vector<std::int64_t> answer{};
  std::uint64_t offset = 0;  ///< of the replication stream of this server, after it
};

class RedisObserver {
 public:
  virtual ~RedisObserver() = default;
  virtual void on_script(const ScriptRun& run) = 0;
  /// From now on `server` is a master whose data is that of `old_master` up to `kept` of its stream; what
  /// came and comes after that is lost. (Also told of a restart: then both are the same server.)
  virtual void on_history(HostId server, HostId old_master, std::uint64_t kept) = 0;
};

}  // namespace sluice::sim
