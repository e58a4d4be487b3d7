#include "wire/http1/head_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string_view>

#include "wire/http1/fault.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {

Scanned HeadLines::next(std::string_view buffer, std::string_view& line) {
  const std::size_t bound = bounds_->max_header_bytes;
  const std::size_t visible = std::min(buffer.size() - start_, bound);
  Scanned progress = lines_.next(buffer.substr(0, start_ + visible), line);
  if (!progress || *progress == Progress::done || visible < bound) return progress;
  return refuse(431, fmt::format("the head is longer than {} bytes", bound));
}

std::expected<FieldLine, Fault> HeadLines::field(std::string_view line) {
  auto field = split_field(line);
  if (field && ++fields_ > bounds_->max_headers) {
    return refuse(431, fmt::format("more than {} header fields", bounds_->max_headers));
  }
  return field;
}

void HeadLines::begin_anew() {
  start_ = lines_.start();
  fields_ = 0;
}

}  // namespace sluice::wire::http1
