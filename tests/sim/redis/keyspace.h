// The data of one simulated server, and the changes that are replicated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace sluice::sim {

/// One change, in a form that does not depend on when or where it is applied.
struct Effect {
  enum class Kind : std::uint8_t { set, hash_set, hash_remove, remove, flush };

  Kind kind{};
  std::string key{};
  std::string field{};          ///< of hash_set and hash_remove
  std::string value{};          ///< of set and hash_set
  std::int64_t expires_at = 0;  ///< of set: milliseconds since 1970; 0: never
};

/// What one command or script changed: one step of the replication stream.
using Effects = std::vector<Effect>;

class Keyspace {
 public:
  /// Sorted: a real one has no order that could be relied on.
  using Hash = std::map<std::string, std::string, std::less<>>;
  struct Entry {
    std::variant<std::string, Hash> value{};
    std::int64_t expires_at = 0;  ///< as in Effect

    [[nodiscard]] bool expired(std::int64_t now_ms) const { return expires_at != 0 && expires_at <= now_ms; }
    [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value); }
    [[nodiscard]] const Hash* hash() const { return std::get_if<Hash>(&value); }
  };

  /// Whether it is expired or not; null: there is none. Valid until the next change.
  [[nodiscard]] const Entry* find(std::string_view key) const;
  void apply(const Effect& effect);

  /// Of all keys, in their order.
  [[nodiscard]] std::vector<std::string> sorted_keys() const;
  [[nodiscard]] std::size_t live(std::int64_t now_ms) const;
  /// Keys that are expired, in their order.
  [[nodiscard]] std::vector<std::string> expired(std::int64_t now_ms) const;

 private:
  struct Hasher {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
  };

  std::unordered_map<std::string, Entry, Hasher, std::equal_to<>> entries_;
};

}  // namespace sluice::sim
