// The commands on hashes.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/keyspace.h"
#include "sim/redis/numbers.h"
#include "sim/redis/replies.h"
#include "sim/redis/value.h"

namespace sluice::sim {
namespace {

/// Of no entry: an empty hash; of another type: null.
const Keyspace::Hash* hash_of(const Keyspace::Entry* entry) {
  static const Keyspace::Hash empty;
  return entry == nullptr ? &empty : entry->hash();
}

Value field_of(const Keyspace::Hash& hash, std::string_view field) {
  const auto found = hash.find(field);
  return found == hash.end() ? Value{} : Value::bulk(found->second);
}

}  // namespace

Value Engine::hget(Client& /*client*/, Words words) {
  const Keyspace::Hash* hash = hash_of(lookup(words[1]));
  return hash != nullptr ? field_of(*hash, words[2]) : wrong_type();
}

Value Engine::hmget(Client& /*client*/, Words words) {
  const Keyspace::Hash* hash = hash_of(lookup(words[1]));
  if (hash == nullptr) return wrong_type();
  std::vector<Value> values;
  values.reserve(words.size() - 2);
  for (const std::string_view field : words.subspan(2)) values.push_back(field_of(*hash, field));
  return Value::array(std::move(values));
}

Value Engine::hgetall(Client& /*client*/, Words words) {
  const Keyspace::Hash* hash = hash_of(lookup(words[1]));
  if (hash == nullptr) return wrong_type();
  Value all;
  all.kind = Value::Kind::map;
  all.items.reserve(2 * hash->size());
  for (const auto& [field, value] : *hash) {
    all.items.push_back(Value::bulk(field));
    all.items.push_back(Value::bulk(value));
  }
  return all;
}

Value Engine::hlen(Client& /*client*/, Words words) {
  const Keyspace::Hash* hash = hash_of(lookup(words[1]));
  return hash != nullptr ? Value::of(static_cast<std::int64_t>(hash->size())) : wrong_type();
}

Value Engine::hset(Client& /*client*/, Words words) {
  if (words.size() % 2 != 0) return wrong_arity("hset");
  if (hash_of(lookup(words[1])) == nullptr) return wrong_type();
  std::int64_t added = 0;
  for (std::size_t i = 2; i < words.size(); i += 2) {
    added += hash_of(data_.find(words[1]))->contains(words[i]) ? 0 : 1;
    change({.kind = Effect::Kind::hash_set,
            .key = std::string(words[1]),
            .field = std::string(words[i]),
            .value = std::string(words[i + 1])});
  }
  return Value::of(added);
}

Value Engine::hdel(Client& /*client*/, Words words) {
  if (hash_of(lookup(words[1])) == nullptr) return wrong_type();
  std::int64_t removed = 0;
  for (const std::string_view field : words.subspan(2)) {
    if (!hash_of(data_.find(words[1]))->contains(field)) continue;
    change({.kind = Effect::Kind::hash_remove, .key = std::string(words[1]), .field = std::string(field)});
    ++removed;
  }
  return Value::of(removed);
}

Value Engine::hincrby(Client& /*client*/, Words words) {
  const auto by = integer_of(words[3]);
  if (!by) return not_an_integer();
  const Keyspace::Hash* hash = hash_of(lookup(words[1]));
  if (hash == nullptr) return wrong_type();
  const auto found = hash->find(words[2]);
  const auto before = found == hash->end() ? std::optional<std::int64_t>(0) : integer_of(found->second);
  if (!before) return Value::error("ERR hash value is not an integer");
  std::int64_t after = 0;
  if (__builtin_add_overflow(*before, *by, &after))
    return Value::error("ERR increment or decrement would overflow");
  change({.kind = Effect::Kind::hash_set,
          .key = std::string(words[1]),
          .field = std::string(words[2]),
          .value = std::to_string(after)});
  return Value::of(after);
}

}  // namespace sluice::sim
