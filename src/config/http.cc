#include "config/http.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "config/document.h"
#include "config/settings.h"
#include "config/table.h"

namespace sluice::config {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view kAddress = "ip";

/// Descriptors that come from elsewhere than a header of the user's choice.
constexpr std::array<std::string_view, 4> kReserved{kAddress, "method", "path", "route"};

/// The value of a setting of [http.descriptors]; null when it is left at its default.
const Value* written(const Table& document, std::string_view key) {
  return find_value(document, {parent_of(kDescriptorsSection), leaf_of(kDescriptorsSection), key});
}

class Settler {
 public:
  Settler(const Table& document, Settings::Http::Descriptors& descriptors, Faults& faults)
      : document_(document), descriptors_(descriptors), faults_(faults) {
    for (const auto& header : descriptors.headers) header_names_.emplace_back(header.descriptor);
    names_ = header_names_;
    names_.push_back(kAddress);
  }

  void settle();

 private:
  using Known = std::vector<std::string_view>;

  void check_headers();
  void prune(std::string_view key, Names& names, const Known& known) const;
  void check_known(std::string_view key, const Names& names, const Known& known);
  void check_distinct();
  void check_address_is_last();
  /// At element `index` of the list `key`; defaults, which have no place, have no faults either.
  void wrong(std::string_view key, std::size_t index, std::string message);

  const Table& document_;
  Settings::Http::Descriptors& descriptors_;
  Faults& faults_;
  Known header_names_;
  Known names_;  ///< these and the address
};

void Settler::settle() {
  prune("order", descriptors_.order, names_);
  prune("hashed", descriptors_.hashed, header_names_);
  check_headers();
  check_known("order", descriptors_.order, names_);
  check_known("always", descriptors_.always, names_);
  check_known("hashed", descriptors_.hashed, header_names_);
  check_distinct();
  check_address_is_last();
}

void Settler::wrong(std::string_view key, std::size_t index, std::string message) {
  const Value* const value = written(document_, key);
  const auto* const items = value != nullptr ? std::get_if<Array>(&value->data) : nullptr;
  const Place place = items != nullptr && index < items->size() ? (*items)[index].place : Place{};
  faults_.push_back({place, std::move(message)});
}

void Settler::check_headers() {
  const Value* const value = written(document_, "headers");
  const auto* const table = value != nullptr ? std::get_if<Table>(&value->data) : nullptr;
  if (table == nullptr) return;
  for (const Entry& entry : table->entries) {
    if (entry.key.empty()) {
      faults_.push_back({entry.place, "headers has an empty name"});
    } else if (std::ranges::find(kReserved, entry.key) != kReserved.end()) {
      faults_.push_back(
          {entry.place,
           fmt::format("headers names \"{}\", which Sluice fills itself; choose another name", entry.key)});
    } else if (std::ranges::find(descriptors_.order, entry.key) == descriptors_.order.end() &&
               std::ranges::find(descriptors_.always, entry.key) == descriptors_.always.end()) {
      faults_.push_back(
          {entry.place, fmt::format("headers names \"{}\", which is in neither order nor always "
                                    "and would do nothing",
                                    printable(entry.key))});
    }
  }
}

void Settler::prune(std::string_view key, Names& names, const Known& known) const {
  if (written(document_, key) != nullptr) return;
  std::erase_if(names,
                [&known](const std::string& name) { return std::ranges::find(known, name) == known.end(); });
}

void Settler::check_known(std::string_view key, const Names& names, const Known& known) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::find(known, names[i]) != known.end()) continue;
    if (names[i] == kAddress) {
      wrong(key, i,
            fmt::format("{} names \"{}\", the client's address, which comes from no header", key, kAddress));
      continue;
    }
    wrong(key, i,
          fmt::format("{} names \"{}\", which is not in headers{}", key, printable(names[i]),
                      did_you_mean(names[i], known)));
  }
}

void Settler::check_distinct() {
  std::vector<std::pair<std::string_view, std::string_view>> seen;  // name, list
  const auto check = [&](std::string_view key, const Names& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto first = std::ranges::find(seen, names[i], [](const auto& pair) { return pair.first; });
      if (first == seen.end()) {
        seen.emplace_back(names[i], key);
      } else {
        wrong(
            key, i,
            fmt::format("{} names \"{}\", which is already in {}", key, printable(names[i]), first->second));
      }
    }
  };
  check("order", descriptors_.order);
  check("always", descriptors_.always);
}

void Settler::check_address_is_last() {
  const Names& order = descriptors_.order;
  const auto at = std::ranges::find(order, kAddress);
  if (at == order.end() || at + 1 == order.end()) return;
  wrong(
      "order", static_cast<std::size_t>(at - order.begin()),
      fmt::format(
          "order must have \"{}\" as its last: every request has an address, so nothing after it would count",
          kAddress));
}

}  // namespace

void settle_descriptors(const Table& document, Settings::Http::Descriptors& descriptors, Faults& faults) {
  Settler(document, descriptors, faults).settle();
}

}  // namespace sluice::config
