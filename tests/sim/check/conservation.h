// The promise "no token is made up and none vanishes": what the store granted is somewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace sluice::sim {

/// Where the tokens of one key are that the store granted to one daemon. All ≥ 0.
struct TokenBooks {
  std::int64_t granted = 0;   ///< debited by the store in the daemon's name
  std::int64_t spent = 0;     ///< by requests that were allowed
  std::int64_t returned = 0;  ///< given back to the store
  std::int64_t lapsed = 0;    ///< of leases that ended unused
  std::int64_t lost = 0;      ///< with a daemon that died, or with a reply that never came
  std::int64_t held = 0;      ///< in a lease that goes on

  TokenBooks& operator+=(const TokenBooks& other);
  [[nodiscard]] bool operator==(const TokenBooks&) const = default;
};

struct DaemonBooks {
  std::string daemon{};
  std::string key{};
  TokenBooks books{};
};

/// Nothing if granted == spent + returned + lapsed + lost + held and none of them is negative. Otherwise what
/// is wrong: "granted 10, but spent 7 + returned 0 + lapsed 1 + lost 0 + held 0 = 8: 2 missing".
[[nodiscard]] std::optional<std::string> imbalance(const TokenBooks& books);

/// Of each entry by itself, not of their sum, in which two errors may cancel out. The first one's text with
/// its daemon and key, and the number of entries like it if there are more.
[[nodiscard]] std::optional<std::string> first_imbalance(std::span<const DaemonBooks> all);

/// Over all daemons and keys.
[[nodiscard]] TokenBooks sum_of(std::span<const DaemonBooks> all);
/// Over all daemons.
[[nodiscard]] TokenBooks sum_of_key(std::span<const DaemonBooks> all, const std::string& key);

}  // namespace sluice::sim
