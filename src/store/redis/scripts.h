// The scripts, embedded at build from scripts/*.lua.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sluice::store::redis {

enum class Script : std::uint8_t { attach, lease, give_back, peek, reset, rebook, announce };
inline constexpr std::size_t kScripts = static_cast<std::size_t>(Script::announce) + 1;

/// One script as EVAL takes it, and the name by which EVALSHA knows it.
struct ScriptText {
  std::string_view name{};  ///< for people: "lease"
  std::string_view sha1{};  ///< 40 lower-case hex digits
  std::string_view source{};
};

class Scripts {
 public:
  Scripts();
  [[nodiscard]] const ScriptText& operator[](Script script) const {
    return texts_[static_cast<std::size_t>(script)];
  }

 private:
  std::array<ScriptText, kScripts> texts_;
};

}  // namespace sluice::store::redis
