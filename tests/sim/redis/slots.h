// Who has which slot of a cluster, as one node believes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"
#include "sim/redis/value.h"
#include "store/redis/crc16.h"

namespace sluice::sim {

inline constexpr std::size_t kSlotCount = store::redis::kSlots;

/// Of a key: of what is between its first braces, if there is anything.
[[nodiscard]] std::uint16_t slot_of(std::string_view key);

/// Never changed once a server has it: the next belief is another object.
class RedisServer::Slots {
 public:
  struct Node {
    std::string host{};
    std::uint16_t port = 0;
    std::string id{};  ///< 40 hex digits

    [[nodiscard]] std::string address() const { return host + ":" + std::to_string(port); }
  };
  struct Group {
    Node master{};
    std::vector<Node> replicas{};
  };
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  Node self{};
  std::vector<Group> groups{};
  std::array<std::size_t, kSlotCount> owner{};  ///< index of the group, or kNobody
  std::map<std::uint16_t, Node> migrating{};    ///< slots of this master that leave for there
  std::map<std::uint16_t, Node> importing{};    ///< slots that come to this master from there

  /// How many of the keys of a command are there.
  struct Present {
    std::size_t keys = 0;
    std::size_t missing = 0;
  };
  /// Whether this node carries out a command with these keys. Nothing: it does; else the error that is
  /// answered. `present` is asked only where it matters.
  template <class Count>
  [[nodiscard]] std::optional<Value> redirect(std::span<const std::string_view> keys, bool asking,
                                              const Count& present) const {
    if (keys.empty()) return std::nullopt;
    const std::uint16_t slot = slot_of(keys.front());
    for (const std::string_view key : keys)
      if (slot_of(key) != slot) return Value::error("CROSSSLOT Keys in request don't hash to the same slot");
    const bool moves = migrating.contains(slot) || importing.contains(slot);
    return redirect(slot, keys.size() > 1, asking, moves ? present() : Present{});
  }
  /// The reply of CLUSTER SLOTS.
  [[nodiscard]] Value ranges() const;

 private:
  [[nodiscard]] std::optional<Value> redirect(std::uint16_t slot, bool several, bool asking,
                                              const Present& present) const;
};

}  // namespace sluice::sim
