#include "sim/redis/slots.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/server.h"
#include "sim/redis/value.h"
#include "store/redis/crc16.h"

namespace sluice::sim {
namespace {

Value described(const RedisServer::Slots::Node& node) {
  return Value::array({Value::bulk(node.host), Value::of(node.port), Value::bulk(node.id), Value::array({})});
}

Value redirection(std::string_view code, std::uint16_t slot, const RedisServer::Slots::Node& node) {
  return Value::error(std::string(code) + " " + std::to_string(slot) + " " + node.address());
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  return store::redis::slot_of_tag(key);
}

std::optional<Value> RedisServer::Slots::redirect(std::uint16_t slot, bool several, bool asking,
                                                  const Present& present) const {
  if (owner.at(slot) == kNobody) return Value::error("CLUSTERDOWN Hash slot not served");
  const Node& master = groups.at(owner.at(slot)).master;
  if (const auto to = migrating.find(slot); to != migrating.end() && present.missing > 0) {
    if (present.keys > 0) return Value::error("TRYAGAIN Multiple keys request during rehashing of slot");
    return redirection("ASK", slot, to->second);
  }
  if (asking && importing.contains(slot)) {
    if (!several || present.missing == 0) return std::nullopt;
    return Value::error("TRYAGAIN Multiple keys request during rehashing of slot");
  }
  if (master.id == self.id) return std::nullopt;
  return redirection("MOVED", slot, master);
}

Value RedisServer::Slots::ranges() const {
  std::vector<Value> ranges;
  for (std::size_t first = 0; first < kSlotCount;) {
    std::size_t last = first;
    while (last + 1 < kSlotCount && owner.at(last + 1) == owner.at(first)) ++last;
    if (owner.at(first) != kNobody) {
      const Group& group = groups.at(owner.at(first));
      std::vector<Value> range{Value::of(static_cast<std::int64_t>(first)),
                               Value::of(static_cast<std::int64_t>(last)), described(group.master)};
      for (const Node& replica : group.replicas) range.push_back(described(replica));
      ranges.push_back(Value::array(std::move(range)));
    }
    first = last + 1;
  }
  return Value::array(std::move(ranges));
}

}  // namespace sluice::sim
