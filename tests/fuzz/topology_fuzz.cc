// Fuzzes what sentinels and cluster nodes say of where masters are. Promises: an endpoint has a host and a
// port that can be dialled and shown; what is told again is understood the same; an error is one printable
// line.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "base/connector.h"
#include "fuzz/fuzz.h"
#include "fuzz/reply_text.h"
#include "store/redis/cluster_slots.h"
#include "store/redis/crc16.h"
#include "store/redis/errors.h"
#include "store/redis/reply.h"
#include "store/redis/sentinel_replies.h"

namespace sluice::fuzz {
namespace {

using namespace store::redis;

void check_endpoint(const Endpoint& endpoint) {
  SLUICE_ASSERT(endpoint.path.empty() && !endpoint.host.empty() && endpoint.port > 0);
  SLUICE_ASSERT(endpoint.host.size() <= 255 && endpoint.host != "?");
  for (const char c : endpoint.host) SLUICE_ASSERT(c > ' ' && c < '\x7f');
}

void check_text(std::string_view text) {
  const std::string people = for_people(text);
  SLUICE_ASSERT(people.size() <= 4 * 200 + 3 && people.find_first_of("\r\n") == std::string::npos);
  SLUICE_ASSERT(!name_of(classify(text)).empty());
  if (const auto moved = parse_moved(text)) {
    check_endpoint(*moved);
    const std::string again = "MOVED 1 " + moved->host + ":" + std::to_string(moved->port);
    SLUICE_ASSERT(parse_moved(again) == moved);
  }
  if (const auto change = parse_switch(text)) {
    SLUICE_ASSERT(!change->master.empty());
    check_endpoint(change->from);
    check_endpoint(change->to);
    const auto words = [](const Endpoint& at) { return " " + at.host + " " + std::to_string(at.port); };
    const auto again = parse_switch(change->master + words(change->from) + words(change->to));
    SLUICE_ASSERT(again && again->master == change->master && again->from == change->from &&
                  again->to == change->to);
  }
}

void check_slots(const Reply& reply) {
  const auto map = parse_cluster_slots(reply, {.host = "10.0.0.9", .port = 6379});
  if (!map) {
    SLUICE_ASSERT(!map.error().message.empty());
    return;
  }
  SLUICE_ASSERT(!map->ranges.empty());
  for (const Endpoint& node : map->nodes) {
    check_endpoint(node);
    SLUICE_ASSERT(std::ranges::count(map->nodes, node) == 1);
  }
  for (const SlotRange& range : map->ranges) {
    SLUICE_ASSERT(range.first <= range.last && range.last < kSlots);
    if (range.master) SLUICE_ASSERT(std::ranges::find(map->nodes, *range.master) != map->nodes.end());
  }
}

}  // namespace

void run(std::string_view bytes) {
  check_text(bytes);
  for (const Reply& reply : replies_of(bytes)) {
    if (const auto address = parse_master_address(reply)) {
      if (*address) check_endpoint(**address);
    } else {
      SLUICE_ASSERT(!address.error().message.empty());
    }
    static_cast<void>(parse_config_epoch(reply));
    check_slots(reply);
    check_text(reply.text);
    for (const Reply& item : reply.items) check_text(item.text);
  }
}

}  // namespace sluice::fuzz
