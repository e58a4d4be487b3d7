// What every fuzz target is made of: one function, and help to take its input apart.
//
// A target is NAME_fuzz.cc with entry.cc. Its seeds are the files in corpus/NAME, as text that a person can
// read; what a fuzzer has found is added to them once it is mended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "unit/wire/cuts.h"

namespace sluice::fuzz {

/// Defined by each target, and run for each input. `bytes` lie in memory of exactly their size, so that
/// reading past them shows. A promise that is broken is a SLUICE_ASSERT, which aborts.
void run(std::string_view bytes);

/// Numbers that the input alone decides, so that it says everything that happens.
inline std::mt19937_64 numbers_of(std::string_view bytes) {
  return std::mt19937_64(stable_hash(bytes));
}

/// What comes before the next line feed, which is taken off `rest` with it; all of it if there is none.
inline std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// Every byte as %NN, as a query may have it.
inline std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.append(1, '%').append(1, kHex[byte >> 4U]).append(1, kHex[byte & 15U]);
  }
  return out;
}

/// The ways to hand over `bytes` in pieces: whole, byte by byte, and at random places.
inline std::vector<std::vector<std::size_t>> ways_to_cut(std::string_view bytes) {
  std::mt19937_64 random = numbers_of(bytes);
  const std::size_t longest = 1 + random() % 24;
  return {{}, wire::every_byte(bytes.size()), wire::random_cuts(bytes.size(), longest, random)};
}

/// The pieces between those places, each in memory of its own. Calls take(piece) for each.
template <class Take>
void for_each_piece(std::string_view bytes, const std::vector<std::size_t>& cuts, Take take) {
  std::size_t start = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::size_t end = i < cuts.size() ? cuts[i] : bytes.size();
    const wire::ExactCopy piece(bytes.substr(start, end - start));
    take(piece.view());
    start = end;
  }
}

}  // namespace sluice::fuzz
