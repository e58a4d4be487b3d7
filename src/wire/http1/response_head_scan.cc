#include "wire/http1/response_head_scan.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "wire/http1/fault.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {
namespace {

/// A server that has more to say before its answer isn't getting to it.
constexpr std::size_t kMaxInterim = 4;

constexpr int kSwitchingProtocols = 101;
constexpr int kNoContent = 204;
constexpr int kNotModified = 304;

}  // namespace

Scanned ResponseHeadScan::scan(std::string_view buffer) {
  while (true) {
    std::string_view line;
    Scanned progress = lines_.next(buffer, line);
    if (!progress || *progress == Progress::more) return progress;
    progress = read_line(line);
    if (!progress || *progress == Progress::done) return progress;
  }
}

Scanned ResponseHeadScan::read_line(std::string_view line) {
  if (status_ == 0) return read_status_line(line);
  return line.empty() ? finish() : read_field(line);
}

/// "HTTP/1.1 200 OK": the reason may be empty, the space before it may not be missing.
Scanned ResponseHeadScan::read_status_line(std::string_view line) {
  constexpr std::size_t kStatusAt = std::string_view("HTTP/1.1 ").size();
  constexpr std::size_t kDigits = 3;
  const std::string_view version = line.substr(0, kStatusAt);
  if (version != "HTTP/1.1 " && version != "HTTP/1.0 ") {
    return refuse(400, "the answer does not begin with HTTP/1.1 or HTTP/1.0");
  }
  const std::string_view code = line.substr(kStatusAt, kDigits);
  const std::string_view rest = line.substr(kStatusAt + code.size());
  if (code.size() != kDigits || !std::ranges::all_of(code, is_digit) || !rest.starts_with(' ')) {
    return refuse(400, "the status line has no status of three digits");
  }
  int status = 0;
  std::from_chars(code.data(), code.data() + code.size(), status);
  if (status < 100 || status > 599) return refuse(400, "the status is not one of 100 to 599");
  if (status == kSwitchingProtocols) return refuse(400, "another protocol, which nobody asked for");
  status_ = status;
  minor_version_ = version == "HTTP/1.1 " ? 1 : 0;
  return Progress::more;
}

Scanned ResponseHeadScan::read_field(std::string_view line) {
  const auto field = lines_.field(line);
  if (!field) return std::unexpected(field.error());
  if (equals_ignoring_case(field->name, "Content-Length")) {
    auto added = add_length(field->value);
    if (!added) return std::unexpected(std::move(added.error()));
  }
  if (equals_ignoring_case(field->name, "Transfer-Encoding")) {
    if (encoded_) return refuse(400, "two Transfer-Encoding fields");
    encoded_ = true;
    chunked_ = equals_ignoring_case(field->value, "chunked");
  }
  return Progress::more;
}

std::expected<void, Fault> ResponseHeadScan::add_length(std::string_view value) {
  if (length_) return refuse(400, "two Content-Length fields");
  if (value.empty() || !std::ranges::all_of(value, is_digit))
    return refuse(400, "Content-Length is not a plain number");
  std::uint64_t length = 0;
  const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  length_ = error == std::errc{} ? length : std::numeric_limits<std::uint64_t>::max();
  return {};
}

Scanned ResponseHeadScan::finish() {
  if (status_ < 200) return pass_interim();
  const auto framing = judge();
  if (!framing) return std::unexpected(framing.error());
  framing_ = *framing;
  return Progress::done;
}

Scanned ResponseHeadScan::pass_interim() {
  if (++interim_ > kMaxInterim) return refuse(400, "interim responses instead of an answer");
  if (encoded_ || length_) return refuse(400, "an interim response that announces a body");
  lines_.begin_anew();
  status_ = 0;
  return Progress::more;
}

std::expected<ResponseFraming, Fault> ResponseHeadScan::judge() const {
  using Kind = ResponseFraming::Kind;
  if (encoded_ && length_) return refuse(400, "Content-Length with Transfer-Encoding");
  if (encoded_ && minor_version_ == 0) return refuse(400, "Transfer-Encoding in HTTP/1.0");
  if (encoded_ && !chunked_) return refuse(501, "a Transfer-Encoding other than \"chunked\"");
  if (status_ == kNoContent || status_ == kNotModified) return ResponseFraming{.kind = Kind::none};
  if (encoded_) return ResponseFraming{.kind = Kind::chunked};
  if (!length_) return ResponseFraming{.kind = Kind::until_close};
  return ResponseFraming{.kind = Kind::length, .length = *length_};
}

}  // namespace sluice::wire::http1
