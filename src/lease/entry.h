// All that is known of one key. A million of them are held: see entry_bytes().
#pragma once

#include <boost/intrusive/link_mode.hpp>
#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/unordered_set_hook.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/time.h"
#include "lease/demand.h"
#include "lease/stock.h"
#include "lease/terms.h"

namespace sluice::lease {

using HashHook =
    boost::intrusive::unordered_set_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;
using WheelHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::normal_link>>;

/// The key's bytes follow the object in the same block of memory: see make_entry.
class Entry final : public HashHook, public WheelHook {
 public:
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  [[nodiscard]] std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_bytes_}; }

  TermsPtr terms;
  Stock stock;
  std::int64_t remaining;  ///< in the store, when last heard
  Instant retry_at{};      ///< when the store, by its last word, has tokens again
  Instant full_at{};       ///< when the store's counter, by its last word, is full again
  Demand demand;
  AskBudget budget;
  Millis recheck_at;  ///< while `exhausted`: no asking before

 private:
  friend struct EntryDeleter;
  friend std::unique_ptr<Entry, struct EntryDeleter> make_entry(std::string_view key, TermsPtr terms);
  Entry(std::uint16_t key_bytes, TermsPtr its_terms);
  ~Entry() = default;

  std::uint16_t key_bytes_;

 public:
  std::uint16_t unmet = 0;  ///< tokens of checks denied since the last request only because it was too early
  bool exhausted : 1 = false;  ///< the store's last word was that a request did not fit
  bool contended : 1 = false;  ///< … or it gave less than was asked for: requests are paced
  bool asking : 1 = false;     ///< has a Flight
  bool watched : 1 = false;    ///< somebody wants to know when the store is heard of it; not forgotten before
};

struct EntryDeleter {
  void operator()(Entry* entry) const;
};
using EntryPtr = std::unique_ptr<Entry, EntryDeleter>;

/// `key` has at most 65,535 bytes.
[[nodiscard]] EntryPtr make_entry(std::string_view key, TermsPtr terms);

/// Memory of one entry, as it is asked of the allocator.
[[nodiscard]] constexpr std::size_t entry_bytes(std::size_t key_bytes) {
  return sizeof(Entry) + key_bytes;
}

}  // namespace sluice::lease
