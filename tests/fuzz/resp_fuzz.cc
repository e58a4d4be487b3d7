// Fuzzes the RESP decoders (libFuzzer). Invariants: no crash, no read past the buffer, progress on every
// complete command, and an outcome that does not depend on how the bytes were cut into calls.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "unit/wire/resp_feed.h"
#include "wire/resp/reply_parser.h"
#include "wire/resp/request_parser.h"

namespace sluice::wire::resp {
namespace {

void fuzz_requests(std::string_view bytes, std::mt19937_64& random) {
  // Small bounds put what lies beyond them within reach of small inputs.
  const RequestBounds small{
      .max_args = 8, .max_arg_bytes = 64, .max_command_bytes = 128, .max_inline_bytes = 48};
  for (const RequestBounds& bounds : {RequestBounds{}, small}) {
    const Outcome whole = feed(bytes, {}, bounds);
    SLUICE_ASSERT(whole.broken.empty());
    SLUICE_ASSERT(feed(bytes, random_cuts(bytes.size(), 1 + random() % 16, random), bounds) == whole);
  }
}

void fuzz_replies(std::string_view bytes, std::mt19937_64& random) {
  const ReplyBounds small{.max_bytes = 128, .max_items = 8, .max_depth = 3};
  for (const ReplyBounds& bounds : {ReplyBounds{}, small}) {
    const ExactCopy copy(bytes);
    Value value;
    std::size_t consumed = 0;
    std::string error;
    const ParseStatus status = parse_reply(copy.view(), bounds, value, consumed, error);
    SLUICE_ASSERT((status == ParseStatus::complete) == (consumed > 0));
    SLUICE_ASSERT((status == ParseStatus::malformed) == !error.empty());
    SLUICE_ASSERT(consumed <= bytes.size() && consumed <= bounds.max_bytes);

    // What a shorter buffer decided, a longer one must not change.
    const ExactCopy prefix(bytes.substr(0, random() % (bytes.size() + 1)));
    std::size_t prefix_consumed = 0;
    std::string prefix_error;
    const ParseStatus earlier = parse_reply(prefix.view(), bounds, value, prefix_consumed, prefix_error);
    if (earlier == ParseStatus::incomplete) continue;
    SLUICE_ASSERT(earlier == status && prefix_consumed == consumed && prefix_error == error);
  }
}

}  // namespace
}  // namespace sluice::wire::resp

/// The first byte seeds the cuts; the rest goes to both decoders.
// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::mt19937_64 random(data[0]);
  const std::string bytes(data + 1, data + size);
  sluice::wire::resp::fuzz_requests(bytes, random);
  sluice::wire::resp::fuzz_replies(bytes, random);
  return 0;
}
