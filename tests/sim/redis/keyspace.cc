#include "sim/redis/keyspace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::sim {

const Keyspace::Entry* Keyspace::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

void Keyspace::apply(const Effect& effect) {
  switch (effect.kind) {
    case Effect::Kind::set: {
      Entry& entry = entries_[effect.key];
      entry.value = effect.value;
      entry.expires_at = effect.expires_at;
      return;
    }
    case Effect::Kind::hash_set: {
      Entry& entry = entries_[effect.key];
      if (entry.hash() == nullptr) entry = {.value = Hash{}};
      std::get<Hash>(entry.value).insert_or_assign(effect.field, effect.value);
      return;
    }
    case Effect::Kind::hash_remove: {
      const auto found = entries_.find(effect.key);
      if (found == entries_.end() || found->second.hash() == nullptr) return;
      auto& hash = std::get<Hash>(found->second.value);
      hash.erase(effect.field);
      if (hash.empty()) entries_.erase(found);
      return;
    }
    case Effect::Kind::remove:
      entries_.erase(effect.key);
      return;
    case Effect::Kind::flush:
      entries_.clear();
      return;
  }
}

std::vector<std::string> Keyspace::sorted_keys() const {
  std::vector<std::string> keys;
  keys.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) keys.push_back(key);
  std::ranges::sort(keys);
  return keys;
}

std::size_t Keyspace::live(std::int64_t now_ms) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [now_ms](const auto& item) { return !item.second.expired(now_ms); }));
}

std::vector<std::string> Keyspace::expired(std::int64_t now_ms) const {
  std::vector<std::string> keys;
  for (const auto& [key, entry] : entries_)
    if (entry.expired(now_ms)) keys.push_back(key);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace sluice::sim
