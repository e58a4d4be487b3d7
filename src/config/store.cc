#include "config/store.h"

#include <string>
#include <variant>

#include <fmt/core.h>

#include "config/document.h"
#include "config/settings.h"

namespace sluice::config {
namespace {

constexpr const char* kExample = R"(such as shards = ["redis:6379"])";

void find_missing_shards(const Table& document, const Settings::Store& store, Faults& faults) {
  if (store.kind != "redis") return;
  const Value* const kind = find_value(document, {"store", "kind"});
  const Place place = kind != nullptr ? kind->place : Place{};
  faults.push_back(
      {place, fmt::format("kind \"redis\" needs the server's address below [store.redis], {}", kExample)});
}

}  // namespace

void check_store(const Table& document, const Settings::Store& store, Faults& faults) {
  // Of the document, since an address with a fault of its own is there all the same.
  const Value* const shards = find_value(document, {"store", "redis", "shards"});
  if (shards == nullptr) return find_missing_shards(document, store, faults);
  const auto* const items = std::get_if<Array>(&shards->data);
  if (items == nullptr || items->size() == 1 || store.redis.topology != "single") return;
  const std::string count = items->empty() ? "none" : std::to_string(items->size());
  faults.push_back({items->empty() ? shards->place : (*items)[1].place,
                    fmt::format("shards must be exactly one address with topology \"single\", {}, not {}",
                                kExample, count)});
}

}  // namespace sluice::config
