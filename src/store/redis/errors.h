// What a server's error means for a limiter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::store::redis {

/// In none of these cases was the command carried out.
enum class ErrorKind : std::uint8_t {
  noscript,     ///< it does not know the script by its name: send it whole
  readonly,     ///< it is a replica
  loading,      ///< it reads its data
  masterdown,   ///< it is a replica without a master
  noreplicas,   ///< it has fewer replicas than it must have to write
  busy,         ///< a script of somebody else's keeps it
  oom,          ///< its memory is full
  misconf,      ///< it cannot save, and refuses to write
  auth,         ///< our credentials or our rights
  wrong_type,   ///< the key holds something that is not ours
  cluster,      ///< the key is on another node, or nowhere
  max_clients,  ///< it takes no more connections
  other,
};
inline constexpr std::size_t kErrorKinds = static_cast<std::size_t>(ErrorKind::other) + 1;

/// How often each kind was met.
class ErrorCounts {
 public:
  void count(ErrorKind kind) { ++counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t operator[](ErrorKind kind) const {
    return counts_[static_cast<std::size_t>(kind)];
  }

 private:
  std::array<std::uint64_t, kErrorKinds> counts_{};
};

/// By the code that it begins with or, where a script's error is wrapped in another, contains.
[[nodiscard]] ErrorKind classify(std::string_view error);

/// For metrics and logs: "readonly".
[[nodiscard]] std::string_view name_of(ErrorKind kind);

/// The error for a log: printable, bounded, and without the arguments that servers quote, which hold raw
/// keys.
[[nodiscard]] std::string for_people(std::string_view error);

}  // namespace sluice::store::redis
