#include "lease/entry.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "lease/terms.h"

namespace sluice::lease {

Entry::Entry(std::uint16_t key_bytes, TermsPtr its_terms)
    : terms(std::move(its_terms)), remaining(terms->limit().capacity()), key_bytes_(key_bytes) {}

EntryPtr make_entry(std::string_view key, TermsPtr terms) {
  SLUICE_ASSERT(key.size() <= std::numeric_limits<std::uint16_t>::max());
  void* block = ::operator new(entry_bytes(key.size()));
  auto* entry = ::new (block) Entry(static_cast<std::uint16_t>(key.size()), std::move(terms));
  std::memcpy(static_cast<void*>(entry + 1), key.data(), key.size());
  return EntryPtr{entry};
}

void EntryDeleter::operator()(Entry* entry) const {
  entry->~Entry();
  ::operator delete(entry);
}

}  // namespace sluice::lease
