// libFuzzer's way into a target.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/fuzz.h"
#include "unit/wire/cuts.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sluice::wire::ExactCopy bytes(
      size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size));
  sluice::fuzz::run(bytes.view());
  return 0;
}
