#include "wire/http1/head_scan.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "wire/http1/fault.h"
#include "wire/http1/framing.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {
namespace {

/// As some old clients send after a body; more of them are no mistake but an attempt at something.
constexpr std::size_t kMaxEmptyLines = 2;

/// "HTTP/1.1" → 1.
std::expected<int, Fault> read_version(std::string_view version) {
  if (version == "HTTP/1.1") return 1;
  if (version == "HTTP/1.0") return 0;
  if (version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) && version[6] == '.' &&
      is_digit(version[7])) {
    return refuse(505, "a version other than HTTP/1.0 and HTTP/1.1");
  }
  return refuse(400, "the request line does not end in an HTTP version");
}

std::expected<void, Fault> check_target(std::string_view target) {
  if (std::ranges::any_of(target, is_blank)) return refuse(400, "white space in the target");
  if (!target.starts_with('/')) return refuse(400, "the target is not a path that begins with '/'");
  if (target.contains('#')) return refuse(400, "'#' in the target");
  return {};
}

}  // namespace

Scanned HeadScan::scan(std::string_view buffer) {
  while (true) {
    std::string_view line;
    Scanned progress = lines_.next(buffer, line);
    if (!progress || *progress == Progress::more) return progress;
    progress = read_line(line);
    if (!progress || *progress == Progress::done) return progress;
  }
}

Scanned HeadScan::read_line(std::string_view line) {
  if (!has_request_line_) return line.empty() ? skip_empty_line() : read_request_line(line);
  return line.empty() ? finish() : read_field(line);
}

Scanned HeadScan::skip_empty_line() {
  if (++empty_lines_ > kMaxEmptyLines) return refuse(400, "empty lines instead of a request line");
  lines_.begin_anew();
  return Progress::more;
}

Scanned HeadScan::read_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == last) return refuse(400, "the request line is not a method, a target and a version");
  if (!is_token(line.substr(0, first))) return refuse(400, "the method is not a token");
  const auto version = read_version(line.substr(last + 1));
  if (!version) return std::unexpected(version.error());
  auto target = check_target(line.substr(first + 1, last - first - 1));
  if (!target) return std::unexpected(std::move(target.error()));
  minor_version_ = *version;
  has_request_line_ = true;
  return Progress::more;
}

Scanned HeadScan::read_field(std::string_view line) {
  const auto field = lines_.field(line);
  if (!field) return std::unexpected(field.error());
  auto added = fields_.add(field->name, field->value);
  if (!added) return std::unexpected(std::move(added.error()));
  return Progress::more;
}

Scanned HeadScan::finish() {
  auto framing = fields_.judge(minor_version_, lines_.bounds().max_body_bytes);
  if (!framing) return std::unexpected(std::move(framing.error()));
  framing_ = *framing;
  return Progress::done;
}

}  // namespace sluice::wire::http1
