#include "config/store.h"

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/core.h>

#include "base/text.h"
#include "config/document.h"
#include "config/settings.h"
#include "config/shards.h"

namespace sluice::config {
namespace {

constexpr std::size_t kMaxSentinels = 16;

/// What is below [store.redis], if it is there.
const Value* find_redis(const Table& document, std::string_view key) {
  return find_value(document, {"store", "redis", key});
}

const Value* find_redis(const Table& document, std::string_view section, std::string_view key) {
  return find_value(document, {"store", "redis", section, key});
}

/// `label` is what the section of the two is called in the file.
void check_login(const Value* username, const Value* password_file, std::string_view label, Faults& faults) {
  const auto* const name = username != nullptr ? std::get_if<std::string>(&username->data) : nullptr;
  if (name == nullptr || name->empty() || password_file != nullptr) return;
  faults.push_back({username->place,
                    fmt::format("username in {} needs password_file: Redis takes a user's name only with a "
                                "password; without both it is the default user",
                                label)});
}

void check_certificate(const Table& document, std::string_view section, Faults& faults) {
  const Value* const cert = find_redis(document, section, "cert");
  const Value* const key = find_redis(document, section, "key");
  if ((cert == nullptr) == (key == nullptr)) return;
  const bool lacks_key = key == nullptr;
  faults.push_back(
      {(lacks_key ? cert : key)->place,
       fmt::format("{0} in [store.redis.{2}] needs {1}: a certificate of our own takes both files",
                   lacks_key ? "cert" : "key", lacks_key ? "key" : "cert", section)});
}

void check_sentinels(const Table& document, Faults& faults) {
  const Value* const sentinels = find_redis(document, "sentinels");
  if (sentinels == nullptr) {
    faults.push_back({find_redis(document, "topology")->place,  // which is not the default
                      "topology \"sentinel\" needs the addresses of the sentinels, such as sentinels = "
                      "[\"sentinel-0:26379\", \"sentinel-1:26379\", \"sentinel-2:26379\"]"});
    return;
  }
  const auto* const items = std::get_if<Array>(&sentinels->data);
  if (items == nullptr) return;
  if (items->empty() || items->size() > kMaxSentinels) {
    faults.push_back({sentinels->place, fmt::format("sentinels must be 1 to {} addresses, not {}",
                                                    kMaxSentinels, items->size())});
  }
  std::set<std::string_view> seen;
  for (const Value& item : *items) {
    const auto* const text = std::get_if<std::string>(&item.data);
    if (text == nullptr || seen.insert(*text).second) continue;
    faults.push_back({item.place, fmt::format("\"{}\" is twice among the sentinels", printable(*text))});
  }
}

/// What would do nothing, and so not what its writer thinks.
void refuse_for_sentinels(const Table& document, std::string_view topology, Faults& faults) {
  for (const std::string_view key : {"sentinels", "sentinel_auth", "sentinel_tls"}) {
    const Value* const value = find_redis(document, key);
    if (value == nullptr) continue;
    faults.push_back({value->place, fmt::format("{} is only for topology \"sentinel\", and the topology is "
                                                "\"{}\"; change that or take this away",
                                                key, topology)});
  }
}

}  // namespace

void check_store(const Table& document, const Settings::Store& store, Faults& faults) {
  check_login(find_redis(document, "username"), find_redis(document, "password_file"), "[store.redis]",
              faults);
  check_login(find_redis(document, "sentinel_auth", "username"),
              find_redis(document, "sentinel_auth", "password_file"), "[store.redis.sentinel_auth]", faults);
  check_certificate(document, "tls", faults);
  check_certificate(document, "sentinel_tls", faults);
  if (store.redis.topology.empty()) return;  // a word that is none: nothing can be said of what is for it
  check_shards(document, store, faults);
  if (store.redis.topology == "sentinel") {
    check_sentinels(document, faults);
  } else if (store.kind == "redis") {
    refuse_for_sentinels(document, store.redis.topology, faults);
  }
}

}  // namespace sluice::config
