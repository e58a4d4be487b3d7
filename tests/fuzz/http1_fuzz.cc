// Fuzzes the HTTP decoders. Promises: every way to cut the bytes gives the same requests or the same refusal;
// each complete request is progress and within its bounds; a query that was read, written again, reads the
// same; no value ends the head of a response.
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "fuzz/fuzz.h"
#include "unit/wire/http1_feed.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/response_writer.h"
#include "wire/http1/syntax.h"

namespace sluice::fuzz {
namespace {

using namespace wire::http1;

void fuzz_requests(std::string_view bytes) {
  // Small bounds put what lies beyond them within reach of small inputs.
  const HttpBounds small{.max_header_bytes = 96, .max_headers = 4, .max_body_bytes = 32};
  for (const HttpBounds& bounds : {HttpBounds{}, small}) {
    const Outcome whole = feed(bytes, {}, bounds);
    SLUICE_ASSERT(whole.broken.empty());
    for (const auto& cuts : ways_to_cut(bytes)) SLUICE_ASSERT(feed(bytes, cuts, bounds) == whole);
    for (const KeptRequest& request : whole.requests) {
      SLUICE_ASSERT(request.body.size() <= bounds.max_body_bytes);
      SLUICE_ASSERT(request.headers.size() <= bounds.max_headers);
      SLUICE_ASSERT(is_token(request.method) && request.target.starts_with('/'));
    }
  }
}

void fuzz_field(std::string_view line) {
  for (const char c : line) {
    if (!is_text(c)) return;
  }
  const auto field = split_field(line);
  if (!field) return;
  SLUICE_ASSERT(is_token(field->name) && trimmed(field->value) == field->value);
  const std::string again = std::string(field->name).append(": ").append(field->value);
  const auto reread = split_field(again);
  SLUICE_ASSERT(reread && reread->name == field->name && reread->value == field->value);
}

void fuzz_query(std::string_view bytes) {
  std::string decoded;
  if (percent_decode(bytes, decoded)) SLUICE_ASSERT(decoded.size() <= bytes.size());
  SLUICE_ASSERT(percent_decode(percent_encoded(bytes), decoded) && decoded == bytes);

  std::vector<std::pair<std::string, std::string>> pairs;
  if (!parse_query(bytes, pairs)) SLUICE_ASSERT(pairs.empty());
  std::string query;
  for (const auto& [name, value] : pairs) query += "&" + percent_encoded(name) + "=" + percent_encoded(value);
  std::vector<std::pair<std::string, std::string>> again;
  SLUICE_ASSERT(parse_query(query, again) && again == pairs);
}

/// A response with whatever values has one head, which ends where the writer ended it.
void fuzz_response(std::string_view bytes) {
  std::string out;
  append_response(out, {.status = 200, .headers = {{"X-Value", std::string(bytes)}}, .body = ""}, {});
  SLUICE_ASSERT(out.find("\r\n\r\n") == out.size() - 4);
  SLUICE_ASSERT(out.ends_with("\r\nContent-Length: 0\r\n\r\n"));
}

}  // namespace

void run(std::string_view bytes) {
  fuzz_requests(bytes);
  fuzz_query(bytes);
  fuzz_response(bytes);
  for (std::string_view rest = bytes; !rest.empty();) fuzz_field(take_line(rest));
}

}  // namespace sluice::fuzz
