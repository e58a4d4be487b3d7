#include <array>
#include <cstddef>
#include <string>

#include "sim/world/plan.h"

namespace sluice::sim {

const char* name_of(Fault fault) {
  static constexpr std::array<const char*, kFaults> kNames = {
      "daemon crash",   "daemon loses power", "daemon restart", "daemon pause", "wall clock step",
      "reload",         "application crash",  "server crash",   "server power", "server pause",
      "failover",       "server trouble",     "script flush",   "data flush",   "clients killed",
      "one-way block",  "two-way block",      "isolation",      "reset",        "sentinel crash",
      "sentinel pause", "sentinel stale",     "slot move"};
  return kNames[static_cast<std::size_t>(fault)];
}

std::string group_name(std::size_t group) {
  return "limits-" + std::to_string(group);
}
std::string server_name(std::size_t group, std::size_t member) {
  return "redis-" + std::to_string(group) + "-" + std::to_string(member);
}
std::string daemon_name(std::size_t daemon) {
  return "pod-" + std::to_string(daemon);
}
std::string sentinel_name(std::size_t sentinel) {
  return "sentinel-" + std::to_string(sentinel);
}

}  // namespace sluice::sim
