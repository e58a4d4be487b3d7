// Fuzzes the decoder of HTTP responses. Promises: every way to cut the bytes gives the same responses or the
// same refusal, also where the server closes; each complete response is progress and within its bounds; a
// refusal is one printable line.
#include <cstddef>
#include <string_view>

#include "base/assert.h"
#include "base/http_url.h"
#include "fuzz/fuzz.h"
#include "unit/wire/http1_response_feed.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_parser.h"
#include "wire/http1/syntax.h"

namespace sluice::fuzz {
namespace {

using namespace wire::http1;

void fuzz_responses(std::string_view bytes) {
  // Small bounds put what lies beyond them within reach of small inputs.
  const HttpBounds small{.max_header_bytes = 96, .max_headers = 4, .max_body_bytes = 32};
  for (const HttpBounds& bounds : {HttpBounds{}, small}) {
    const ResponseOutcome whole = feed_response(bytes, {}, bounds);
    SLUICE_ASSERT(whole.broken.empty());
    for (const auto& cuts : ways_to_cut(bytes)) SLUICE_ASSERT(feed_response(bytes, cuts, bounds) == whole);
    for (const KeptResponse& response : whole.responses) {
      SLUICE_ASSERT(response.status >= 200 && response.status <= 599);
      SLUICE_ASSERT(response.body.size() <= bounds.max_body_bytes);
      SLUICE_ASSERT(response.headers.size() <= bounds.max_headers);
    }
    for (const char c : whole.message) SLUICE_ASSERT(is_text(c) && c != '\t');
  }
}

/// What was read, written again, reads the same; nothing that ends a line of a request comes through.
void fuzz_url(std::string_view text) {
  const auto url = HttpUrl::parse(text);
  if (!url) {
    SLUICE_ASSERT(!url.error().message.empty());
    return;
  }
  SLUICE_ASSERT(url->endpoint.path.empty() && url->endpoint.port > 0);
  SLUICE_ASSERT(url->target.starts_with('/'));
  for (const char c : url->target) SLUICE_ASSERT(c > ' ' && c < '\x7f');
  for (const char c : url->host) SLUICE_ASSERT(c > ' ' && c < '\x7f');
  const auto again = HttpUrl::parse(url->text());
  SLUICE_ASSERT(again && *again == *url);
}

}  // namespace

void run(std::string_view bytes) {
  fuzz_responses(bytes);
  fuzz_url(bytes);
}

}  // namespace sluice::fuzz
