// What a seed draws: the fleet, its rules and settings, the traffic, and the mix of faults.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "sim/check/limits.h"
#include "sim/core/draw.h"
#include "sim/network/network.h"
#include "sim/redis/server.h"

namespace sluice::sim {

enum class Shape : std::uint8_t { single, shards, sentinel, cluster };
enum class OnFailure : std::uint8_t { share, allow, deny };

/// Configurations that daemons run by: reloads go from one to the other and back.
inline constexpr std::size_t kVersions = 2;

struct RulePlan {
  std::string name{};  ///< of the rule; its descriptor has the same
  std::array<LimitFacts, kVersions> limit{};
  bool exact = false;
  OnFailure on_failure = OnFailure::deny;
  std::int64_t keys = 1;  ///< different values of the descriptor
};

/// One kind of check that applications make.
struct TrafficPlan {
  std::vector<std::size_t> rules{};  ///< one, or two: a check of both limits
  double per_second = 1;             ///< of all applications together
  double hot_share = 0.7;            ///< of its checks that are of the first key
  std::int64_t max_cost = 1;
  double refund_share = 0;  ///< of admitted checks that are refunded a while later
};

/// Faults by kind; the world draws the moments. Weights: 0 means never.
enum class Fault : std::uint8_t {
  daemon_crash,
  daemon_power,
  daemon_restart,  ///< SIGTERM, and a new one
  daemon_pause,    ///< SIGSTOP
  wall_step,       ///< of a daemon's machine
  reload,
  app_crash,
  server_crash,
  server_power,
  server_pause,
  fail_over,  ///< its old master still runs, cut off or not
  trouble,
  flush_scripts,
  flush_all,
  kill_clients,
  block_one_way,  ///< a daemon and a server
  block_both,
  isolate,  ///< one machine from all others
  reset,
  sentinel_crash,
  sentinel_pause,
  sentinel_stale,  ///< it hears of no failover for a while
  move_slot,
  kinds,
};
inline constexpr std::size_t kFaults = static_cast<std::size_t>(Fault::kinds);
[[nodiscard]] const char* name_of(Fault fault);

struct Plan {
  std::uint64_t seed = 0;
  WallTime began = {};  ///< true civil time at SimTime 0

  Shape shape = Shape::single;
  std::size_t groups = 1;    ///< masters
  std::size_t replicas = 0;  ///< of each
  std::size_t sentinels = 0;
  Persistence persistence = Persistence::none;
  bool replies_without_time = false;  ///< scripts may not read the servers' clocks
  bool old_protocol = false;          ///< servers that do not know HELLO
  bool passwords = false;

  std::size_t daemons = 1;
  std::size_t apps = 1;  ///< of each daemon
  std::vector<RulePlan> rules{};
  std::vector<TrafficPlan> traffic{};
  std::vector<std::string> settings{};  ///< further lines of the configuration: "section", "key = value"
  Duration max_wait{};
  Duration repair_timeout{};
  Duration lease_ttl{};
  std::int64_t initial = 0;

  Duration server_skew{};      ///< of the servers' wall clocks from true time, at most
  Duration daemon_skew{};      ///< of the daemons'
  std::int64_t drift_ppm = 0;  ///< of all clocks, at most

  NetworkOptions network{};
  bool sluggish = false;  ///< many chunks take longer than commands may
  std::array<std::uint32_t, kFaults> faults{};
  Duration between_faults{};  ///< mean
  Duration chaos{};
  /// Failovers are the only faults, and the old master stays within the daemons' reach, cut off from its
  /// replicas and the sentinels: then no time-out excuses anything.
  bool gentle = false;

  [[nodiscard]] std::uint64_t weight(Fault fault) const { return faults[static_cast<std::size_t>(fault)]; }
};

/// Tokens that the limit gets back in a second.
[[nodiscard]] double refill_of(const LimitFacts& limit);
/// Of one check.
[[nodiscard]] double mean_cost_of(const TrafficPlan& traffic);
/// Checks a second, of all applications, that ask its first rule's hot key for three times what it has; fewer
/// where that would be too many to simulate.
[[nodiscard]] double saturating_rate(const Plan& plan, const TrafficPlan& traffic);

[[nodiscard]] Plan draw_plan(std::uint64_t seed);

/// The configuration of that version, as a daemon would have it in its file.
[[nodiscard]] std::string config_text(const Plan& plan, std::size_t version);

/// One line for people.
[[nodiscard]] std::string summary_of(const Plan& plan);

// Who is called what.
[[nodiscard]] std::string server_name(std::size_t group, std::size_t member);
[[nodiscard]] std::string group_name(std::size_t group);
[[nodiscard]] std::string daemon_name(std::size_t daemon);
[[nodiscard]] std::string sentinel_name(std::size_t sentinel);
inline constexpr std::uint16_t kServerPort = 6379;
inline constexpr std::uint16_t kSentinelPort = 26379;
inline constexpr std::uint16_t kDaemonPort = 7379;
inline constexpr const char* kPassword = "sim-password";

}  // namespace sluice::sim
