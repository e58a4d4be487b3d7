// Fuzzes the HTTP decoders (libFuzzer). Invariants: no crash, no read past the buffer, progress on every
// complete request, and an outcome that does not depend on how the bytes were cut into calls.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "unit/wire/http1_feed.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"

namespace sluice::wire::http1 {
namespace {

void fuzz_requests(std::string_view bytes, std::mt19937_64& random) {
  // Small bounds put what lies beyond them within reach of small inputs.
  const HttpBounds small{.max_header_bytes = 96, .max_headers = 4, .max_body_bytes = 32};
  for (const HttpBounds& bounds : {HttpBounds{}, small}) {
    const Outcome whole = feed(bytes, {}, bounds);
    SLUICE_ASSERT(whole.broken.empty());
    SLUICE_ASSERT(feed(bytes, random_cuts(bytes.size(), 1 + random() % 16, random), bounds) == whole);
    for (const KeptRequest& request : whole.requests)
      SLUICE_ASSERT(request.body.size() <= bounds.max_body_bytes);
  }
}

void fuzz_query(std::string_view bytes) {
  std::string decoded;
  if (percent_decode(bytes, decoded)) SLUICE_ASSERT(decoded.size() <= bytes.size());
  std::vector<std::pair<std::string, std::string>> pairs;
  if (!parse_query(bytes, pairs)) SLUICE_ASSERT(pairs.empty());
}

/// A response with whatever values has one head, which ends where the writer ended it.
void fuzz_response(std::string_view bytes) {
  std::string out;
  append_response(out, {.status = 200, .headers = {{"X-Value", std::string(bytes)}}, .body = ""}, {});
  SLUICE_ASSERT(out.find("\r\n\r\n") == out.size() - 4);
  SLUICE_ASSERT(out.ends_with("\r\nContent-Length: 0\r\n\r\n"));
}

}  // namespace
}  // namespace sluice::wire::http1

/// The first byte seeds the cuts; the rest goes to each of them.
// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::mt19937_64 random(data[0]);
  const std::string bytes(data + 1, data + size);
  sluice::wire::http1::fuzz_requests(bytes, random);
  sluice::wire::http1::fuzz_query(bytes);
  sluice::wire::http1::fuzz_response(bytes);
  return 0;
}
