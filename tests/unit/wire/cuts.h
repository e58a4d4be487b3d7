// Input for parsers that resume at any byte: the places where it is cut into chunks, and copies that a
// sanitizer can guard.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice::wire {

/// A copy on a heap block of exactly its size, so that the address sanitizer sees a read past the end, and at
/// a new address each time, so that it sees a pointer kept from an earlier call.
class ExactCopy {
 public:
  explicit ExactCopy(std::string_view bytes)
      : size_(bytes.size()), bytes_(std::make_unique<char[]>(bytes.size())) {
    bytes.copy(bytes_.get(), size_);
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

/// Cuts between all bytes.
inline std::vector<std::size_t> every_byte(std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = 1; at < size; ++at) cuts.push_back(at);
  return cuts;
}

/// Random cuts with chunks of 1 to `longest` bytes. `next` gives uniform 64-bit numbers.
template <class Next>
std::vector<std::size_t> random_cuts(std::size_t size, std::size_t longest, Next& next) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = 1 + next() % longest; at < size; at += 1 + next() % longest) cuts.push_back(at);
  return cuts;
}

}  // namespace sluice::wire
