// Which of several named shards a key belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::store::redis {

/// Rendezvous hashing: every shard draws a number for the key, and the highest has it. Adding one to n shards
/// moves 1/(n+1) of the keys, all of them to the new one. Depends on the names alone, not on their order:
/// daemons that know the same names agree, now and after an upgrade.
class Rendezvous {
 public:
  /// At least one name; all different.
  explicit Rendezvous(std::span<const std::string> names);

  /// The index among the names.
  [[nodiscard]] std::size_t shard_of(std::string_view key) const;

 private:
  struct Shard {
    std::string name;
    std::uint64_t seed = 0;  ///< stable_hash of the name
  };
  std::vector<Shard> shards_;
};

}  // namespace sluice::store::redis
