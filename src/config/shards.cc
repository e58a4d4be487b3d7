#include "config/shards.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "base/assert.h"
#include "base/connector.h"
#include "base/result.h"
#include "base/text.h"
#include "config/document.h"
#include "config/settings.h"

namespace sluice::config {
namespace {

constexpr std::size_t kMaxShards = 64;

/// What a shard is, one by one.
struct Shard {
  std::string name{};     ///< what keys go by
  std::string address{};  ///< empty: not known here
  bool is_path = false;
};

struct ShardsOf {
  std::string_view topology;
  std::size_t max;
  std::string_view what;
  std::string_view example;
  Result<Shard> (*read)(std::string_view text);
};

Result<Shard> read_address(std::string_view text) {
  const auto endpoint = Endpoint::parse(text);
  if (!endpoint) return failure("shards has a wrong address: " + endpoint.error().message);
  return Shard{.name = std::string(text), .address = endpoint->text(), .is_path = !endpoint->path.empty()};
}

Result<Shard> read_named_address(std::string_view text) {
  const auto shard = ShardAddress::parse(text);
  if (!shard) return failure("shards has a wrong address: " + shard.error().message);
  return Shard{
      .name = shard->name, .address = shard->endpoint.text(), .is_path = !shard->endpoint.path.empty()};
}

/// What Sentinel itself lets masters be called.
Result<Shard> read_master(std::string_view text) {
  constexpr std::size_t kMaxName = 64;
  constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_";
  if (!text.empty() && text.size() <= kMaxName && text.find_first_not_of(kAllowed) == std::string_view::npos)
    return Shard{.name = std::string(text)};
  return failure(
      fmt::format("with topology \"sentinel\" shards are names of masters: 1 to {} letters, digits "
                  "and . - _, not \"{}\"",
                  kMaxName, printable(text)));
}

constexpr std::array<ShardsOf, 4> kShardsOf{{
    {"single", 1, "exactly one address", R"(shards = ["redis:6379"])", read_address},
    {"shards", kMaxShards, "1 to 64 addresses", R"(shards = ["a=redis-a:6379", "b=redis-b:6379"])",
     read_named_address},
    {"sentinel", kMaxShards, "1 to 64 names of masters", R"(shards = ["limits-a", "limits-b"])", read_master},
    {"cluster", kMaxShards, "1 to 64 addresses of nodes", R"(shards = ["redis-0:6379", "redis-1:6379"])",
     read_address},
}};

/// The names and addresses of the shards so far, of which none may come again.
class Distinct {
 public:
  /// What is wrong with one more.
  std::optional<std::string> add(const Shard& shard) {
    if (!names_.insert(shard.name).second)
      return fmt::format("\"{}\" is twice among the shards", printable(shard.name));
    if (!shard.address.empty() && !addresses_.insert(shard.address).second)
      return fmt::format("two shards have the address {}", printable(shard.address));
    return std::nullopt;
  }

 private:
  std::set<std::string> names_;
  std::set<std::string> addresses_;
};

void check_each(const ShardsOf& shards_of, const Array& items, const Settings::Store::Tls& tls,
                Faults& faults) {
  Distinct distinct;
  for (const Value& item : items) {
    const auto* const text = std::get_if<std::string>(&item.data);
    if (text == nullptr) continue;  // told already
    const auto shard = shards_of.read(*text);
    if (!shard) {
      faults.push_back({item.place, shard.error().message});
    } else if (auto wrong = distinct.add(*shard)) {
      faults.push_back({item.place, *std::move(wrong)});
    } else if (shard->is_path && tls.on && tls.server_name.empty()) {
      faults.push_back({item.place,
                        "the path of a Unix socket is no name that a certificate can be for; set server_name "
                        "in [store.redis.tls], or take that table away"});
    }
  }
}

}  // namespace

void check_shards(const Table& document, const Settings::Store& store, Faults& faults) {
  const auto* const shards_of = std::ranges::find(kShardsOf, store.redis.topology, &ShardsOf::topology);
  SLUICE_ASSERT(shards_of != kShardsOf.end());
  // Of the document, since what has a fault of its own is there all the same.
  const Value* const shards = find_value(document, {"store", "redis", "shards"});
  if (shards == nullptr) {
    if (store.kind != "redis") return;
    const Value* const kind = find_value(document, {"store", "kind"});
    faults.push_back(
        {kind != nullptr ? kind->place : Place{},
         fmt::format("kind \"redis\" with topology \"{}\" needs {} below [store.redis], such as {}",
                     shards_of->topology, shards_of->what, shards_of->example)});
    return;
  }
  const auto* const items = std::get_if<Array>(&shards->data);
  if (items == nullptr) return;
  if (items->empty() || items->size() > shards_of->max) {
    const Place place = items->empty() ? shards->place : (*items)[shards_of->max].place;
    const std::string count = items->empty() ? "none" : std::to_string(items->size());
    faults.push_back({place, fmt::format("shards must be {} with topology \"{}\", such as {}, not {}",
                                         shards_of->what, shards_of->topology, shards_of->example, count)});
    return;
  }
  check_each(*shards_of, *items, store.redis.tls, faults);
}

}  // namespace sluice::config
