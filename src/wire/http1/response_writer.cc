#include "wire/http1/response_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {
namespace {

struct Reason {
  int status;
  std::string_view phrase;
};

constexpr std::array kReasons{
    Reason{.status = 100, .phrase = "Continue"},
    Reason{.status = 200, .phrase = "OK"},
    Reason{.status = 204, .phrase = "No Content"},
    Reason{.status = 400, .phrase = "Bad Request"},
    Reason{.status = 401, .phrase = "Unauthorized"},
    Reason{.status = 402, .phrase = "Payment Required"},
    Reason{.status = 403, .phrase = "Forbidden"},
    Reason{.status = 404, .phrase = "Not Found"},
    Reason{.status = 405, .phrase = "Method Not Allowed"},
    Reason{.status = 406, .phrase = "Not Acceptable"},
    Reason{.status = 408, .phrase = "Request Timeout"},
    Reason{.status = 409, .phrase = "Conflict"},
    Reason{.status = 413, .phrase = "Content Too Large"},
    Reason{.status = 415, .phrase = "Unsupported Media Type"},
    Reason{.status = 417, .phrase = "Expectation Failed"},
    Reason{.status = 422, .phrase = "Unprocessable Content"},
    Reason{.status = 429, .phrase = "Too Many Requests"},
    Reason{.status = 431, .phrase = "Request Header Fields Too Large"},
    Reason{.status = 500, .phrase = "Internal Server Error"},
    Reason{.status = 501, .phrase = "Not Implemented"},
    Reason{.status = 502, .phrase = "Bad Gateway"},
    Reason{.status = 503, .phrase = "Service Unavailable"},
    Reason{.status = 504, .phrase = "Gateway Timeout"},
    Reason{.status = 505, .phrase = "HTTP Version Not Supported"},
};

/// RFC 9110 §8.6: these have no body, and may not even say that it is empty.
bool never_has_body(int status) {
  return status < 200 || status == 204;
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  SLUICE_ASSERT(is_token(name));
  out.append(name).append(": ");
  const auto start = std::ssize(out);
  out.append(value).append("\r\n");
  std::replace_if(
      out.begin() + start, out.end() - 2, [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
}

/// The status line and the header fields.
void append_fields(std::string& out, const Response& response) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", response.status,
                 reason_phrase(response.status));
  for (const auto& [name, value] : response.headers) append_field(out, name, value);
}

}  // namespace

void append_response(std::string& out, const Response& response, ResponseForm form) {
  append_fields(out, response);
  const bool without_body = never_has_body(response.status);
  if (!without_body) fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", response.body.size());
  if (!form.keep_alive) {
    out += "Connection: close\r\n";
  } else if (form.minor_version == 0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
  if (!without_body && !form.head) out += response.body;
}

void append_stream_head(std::string& out, const Response& response) {
  append_fields(out, response);
  out += "Connection: close\r\n\r\n";
}

std::string_view reason_phrase(int status) {
  const auto found = std::ranges::find(kReasons, status, &Reason::status);
  return found == kReasons.end() ? "Unknown" : found->phrase;
}

}  // namespace sluice::wire::http1
