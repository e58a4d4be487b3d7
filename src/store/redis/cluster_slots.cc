#include "store/redis/cluster_slots.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/connector.h"
#include "base/result.h"
#include "store/redis/crc16.h"
#include "store/redis/errors.h"
#include "store/redis/reply.h"
#include "store/redis/sentinel_replies.h"

namespace sluice::store::redis {
namespace {

constexpr std::size_t kFirstNode = 2;  // after the first and the last slot

bool is_slot(const Reply& reply) {
  return reply.kind == Reply::Kind::integer && reply.integer >= 0 && reply.integer < kSlots;
}

/// [host, port, id, …]
std::optional<Endpoint> node_of(const Reply& reply, const Endpoint& asked) {
  if (reply.items.size() < 2 || reply.items[0].kind != Reply::Kind::string) return std::nullopt;
  const std::string& host = reply.items[0].text.empty() ? asked.host : reply.items[0].text;
  return endpoint_of(host, std::to_string(reply.items[1].integer));
}

void add(std::vector<Endpoint>& nodes, const std::optional<Endpoint>& node) {
  if (node && std::ranges::find(nodes, *node) == nodes.end()) nodes.push_back(*node);
}

}  // namespace

std::optional<Endpoint> SlotMap::master_of(std::uint16_t slot) const {
  const auto found = std::ranges::find_if(
      ranges, [slot](const SlotRange& range) { return range.first <= slot && slot <= range.last; });
  return found == ranges.end() ? std::nullopt : found->master;
}

Result<SlotMap> parse_cluster_slots(const Reply& reply, const Endpoint& asked) {
  if (reply.kind == Reply::Kind::error) return failure(for_people(reply.text));
  SlotMap map;
  std::vector<Endpoint> replicas;
  for (const Reply& range : reply.items) {
    if (range.items.size() <= kFirstNode || !is_slot(range.items[0]) || !is_slot(range.items[1]) ||
        range.items[0].integer > range.items[1].integer)
      return failure("it answered CLUSTER SLOTS with something else");
    const auto master = node_of(range.items[kFirstNode], asked);
    map.ranges.push_back({.first = static_cast<std::uint16_t>(range.items[0].integer),
                          .last = static_cast<std::uint16_t>(range.items[1].integer),
                          .master = master});
    add(map.nodes, master);
    for (std::size_t i = kFirstNode + 1; i < range.items.size(); ++i)
      add(replicas, node_of(range.items[i], asked));
  }
  if (map.ranges.empty()) return failure("it knows of no slot that anybody has");
  for (const Endpoint& replica : replicas) add(map.nodes, replica);
  return map;
}

std::optional<Endpoint> parse_moved(std::string_view text) {
  constexpr std::string_view kCode = "MOVED ";
  const std::size_t code = text.find(kCode);
  if (code == std::string_view::npos) return std::nullopt;
  text.remove_prefix(code + kCode.size());
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  text.remove_prefix(space + 1);
  text = text.substr(0, text.find(' '));
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return endpoint_of(text.substr(0, colon), text.substr(colon + 1));
}

}  // namespace sluice::store::redis
