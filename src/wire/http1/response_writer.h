// HTTP/1.1 responses: values → bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::wire::http1 {

struct Response {
  int status = 200;
  std::vector<std::pair<std::string_view, std::string>> headers;  ///< without Content-Length and Connection
  std::string body;
};

/// What of the request shapes the bytes of its response.
struct ResponseForm {
  bool head = false;       ///< the request was HEAD: headers as for GET, no body
  bool keep_alive = true;  ///< else "Connection: close" is said
  int minor_version = 1;
};

/// Appends one response, headers in order. Content-Length is always there, also for HEAD (the length GET
/// would have), except where RFC 9110 forbids it with the body: 204, and 1xx, so {.status = 100} makes the
/// interim "100 Continue". On HTTP/1.0 with keep-alive it says "Connection: keep-alive". Header names must be
/// tokens. Header values lose CR, LF and NUL (replaced by a space), so that no value can end its line.
void append_response(std::string& out, const Response& response, ResponseForm form);

/// Appends the head of a response whose body ends with the connection, as that of a stream of events: no
/// Content-Length, "Connection: close", and nothing of `response.body`. For GET over either version of HTTP.
void append_stream_head(std::string& out, const Response& response);

/// "429 Too Many Requests"'s reason phrase; "Unknown" for others than those used here.
[[nodiscard]] std::string_view reason_phrase(int status);

/// Percent-decodes into `out`; '+' stays. false, and nothing in `out`, on a malformed escape.
[[nodiscard]] bool percent_decode(std::string_view text, std::string& out);

/// Splits "a=1&b=2" into `out`, in order, and decodes names and values ('+' is a space). "a" is "a="; empty
/// parts are skipped. false, and nothing in `out`, on a malformed escape.
[[nodiscard]] bool parse_query(std::string_view query, std::vector<std::pair<std::string, std::string>>& out);

}  // namespace sluice::wire::http1
