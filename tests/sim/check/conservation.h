// The promise "no token is made up and none vanishes": what the store granted is somewhere.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
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
};

/// Nothing if granted == spent + returned + lapsed + lost + held and none of them is negative. Otherwise what
/// is wrong: "granted 10, but spent 7 + returned 0 + lapsed 1 + lost 0 + held 0 = 8: 2 missing".
[[nodiscard]] std::optional<std::string> imbalance(const TokenBooks& books);

/// Whose tokens: those of one counter that one daemon was granted; in one history of the data, or in all.
struct Holder {
  std::string member{};
  std::string counter{};
  std::string history{};  ///< empty: all
  auto operator<=>(const Holder&) const = default;
};

/// Tokens are granted before they are spent or given back, and either happens once. It need not show in what
/// is let through: after a failover more is debited again than was lost, and a bucket takes back what it
/// lacks.
class Holdings {
 public:
  /// `at`: by whatever clock, but the same one for a holder.
  void granted(const Holder& holder, std::int64_t tokens, std::int64_t at) { left_[holder][at] += tokens; }
  /// So many of those granted at `since` or later are spent or go back. Nothing if they may be the holder's
  /// own; else how many too many.
  [[nodiscard]] std::optional<std::int64_t> taken(const Holder& holder, std::int64_t tokens,
                                                  std::int64_t since);

 private:
  std::map<Holder, std::map<std::int64_t, std::int64_t>> left_;  ///< by when they were granted; all > 0
};

}  // namespace sluice::sim
