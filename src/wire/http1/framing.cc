#include "wire/http1/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "wire/http1/fault.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {
namespace {

constexpr std::string_view kContentLength = "Content-Length";
constexpr std::string_view kTransferEncoding = "Transfer-Encoding";

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::expected<void, Fault> FramingFields::add(std::string_view name, std::string_view value) {
  if (equals_ignoring_case(name, "Host")) return add_host();
  if (equals_ignoring_case(name, kContentLength)) return add_length(value);
  if (equals_ignoring_case(name, kTransferEncoding)) return add_encoding(value);
  if (equals_ignoring_case(name, "Connection")) return add_connection(value);
  if (equals_ignoring_case(name, "Expect")) {
    (equals_ignoring_case(value, "100-continue") ? expects_continue_ : expects_other_) = true;
  }
  return {};
}

std::expected<void, Fault> FramingFields::add_host() {
  if (host_) return refuse(400, "two Host fields");
  host_ = true;
  return {};
}

std::expected<void, Fault> FramingFields::add_length(std::string_view value) {
  if (length_) return refuse(400, "two Content-Length fields");
  if (!is_number(value)) return refuse(400, "Content-Length is not a plain number");
  std::uint64_t length = 0;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  length_ = error == std::errc{} ? length : std::numeric_limits<std::uint64_t>::max();
  return {};
}

std::expected<void, Fault> FramingFields::add_encoding(std::string_view value) {
  if (encoded_) return refuse(400, "two Transfer-Encoding fields");
  encoded_ = true;
  chunked_ = equals_ignoring_case(value, "chunked");
  return {};
}

std::expected<void, Fault> FramingFields::add_connection(std::string_view value) {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view option = trimmed(value.substr(0, comma));
    value.remove_prefix(std::min(comma + 1, value.size()));
    if (option.empty()) continue;
    if (!is_token(option)) return refuse(400, "Connection is not a list of tokens");
    if (equals_ignoring_case(option, "close")) close_ = true;
    if (equals_ignoring_case(option, "keep-alive")) keep_alive_ = true;
  }
  return {};
}

std::expected<Framing, Fault> FramingFields::judge(int minor_version, std::size_t max_body_bytes) const {
  if (encoded_ && length_) return refuse(400, "Content-Length with Transfer-Encoding");
  if (encoded_ && minor_version == 0) return refuse(400, "Transfer-Encoding in HTTP/1.0");
  if (!host_ && minor_version > 0) return refuse(400, "no Host field");
  if (encoded_ && !chunked_) return refuse(501, "a Transfer-Encoding other than \"chunked\"");
  if (length_.value_or(0) > max_body_bytes) return refuse_body(max_body_bytes);
  if (expects_other_) return refuse(417, "an Expect other than \"100-continue\"");
  return Framing{
      .chunked = chunked_,
      .content_length = static_cast<std::size_t>(length_.value_or(0)),
      .keep_alive = !close_ && (minor_version > 0 || keep_alive_),
      // A client of HTTP/1.0 would take the interim response for the final one.
      .expects_continue = expects_continue_ && minor_version > 0,
  };
}

bool is_body_framing(std::string_view name) {
  return equals_ignoring_case(name, kContentLength) || equals_ignoring_case(name, kTransferEncoding);
}

std::unexpected<Fault> refuse_body(std::size_t max_body_bytes) {
  return refuse(413, fmt::format("the body is longer than {} bytes", max_body_bytes));
}

}  // namespace sluice::wire::http1
