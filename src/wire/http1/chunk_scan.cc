#include "wire/http1/chunk_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>
#include <system_error>

#include "wire/http1/fault.h"
#include "wire/http1/framing.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// 64 bits in hexadecimal.
constexpr std::size_t kMaxDigits = 16;

/// At most `max` bytes from `start` on, with all that is before.
std::string_view up_to(std::string_view buffer, std::size_t start, std::size_t max) {
  return buffer.substr(0, start + std::min(buffer.size() - start, max));
}

}  // namespace

Scanned ChunkScan::scan(std::string_view buffer) {
  while (phase_ != Phase::finished) {
    Scanned progress = step(buffer);
    if (!progress || *progress == Progress::more) return progress;
  }
  return Progress::done;
}

Scanned ChunkScan::step(std::string_view buffer) {
  switch (phase_) {
    case Phase::size:
      return read_size(buffer);
    case Phase::data:
      return read_data(buffer);
    case Phase::trailers:
      return read_trailer(buffer);
    case Phase::finished:
      break;
  }
  return Progress::done;
}

Scanned ChunkScan::read_size(std::string_view buffer) {
  const std::size_t bound = bounds_->max_header_bytes - dropped_ + kMaxDigits + kLineEnd.size();
  const std::string_view visible = up_to(buffer, lines_.start(), bound);
  const std::size_t length = visible.size() - lines_.start();
  std::string_view line;
  Scanned progress = lines_.next(visible, line);
  if (!progress) return progress;
  if (*progress == Progress::done) return read_size_line(line);
  if (length < bound) return Progress::more;
  return refuse(413, fmt::format("chunk extensions of more than {} bytes", bounds_->max_header_bytes));
}

/// "1f;name=value": the extensions are only measured here; Beast checks how they are written.
Scanned ChunkScan::read_size_line(std::string_view line) {
  std::uint64_t size = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), size, 16);
  const auto digits = static_cast<std::size_t>(rest - line.data());
  if (error == std::errc::invalid_argument)
    return refuse(400, "the size of a chunk is not a hexadecimal number");
  if (digits < line.size() && line[digits] != ';')
    return refuse(400, "the size of a chunk is followed by neither ';' nor CRLF");

  const std::size_t zeros = std::min(line.find_first_not_of('0'), digits - 1);
  dropped_ += line.size() - digits + zeros;
  if (dropped_ > bounds_->max_header_bytes) {
    return refuse(413, fmt::format("chunk extensions of more than {} bytes", bounds_->max_header_bytes));
  }
  if (error != std::errc{} || size > bounds_->max_body_bytes - decoded_)
    return refuse_body(bounds_->max_body_bytes);
  decoded_ += static_cast<std::size_t>(size);
  if (size > 0) {
    phase_ = Phase::data;
    data_end_ = lines_.start() + static_cast<std::size_t>(size);
  } else {
    phase_ = Phase::trailers;
    trailers_start_ = lines_.start();
  }
  return Progress::done;
}

Scanned ChunkScan::read_data(std::string_view buffer) {
  if (buffer.size() <= data_end_) return Progress::more;
  const std::string_view end = buffer.substr(data_end_, kLineEnd.size());
  if (!kLineEnd.starts_with(end)) return refuse(400, "a chunk does not end where its size says");
  if (end.size() < kLineEnd.size()) return Progress::more;
  lines_.go_to(data_end_ + kLineEnd.size());
  phase_ = Phase::size;
  return Progress::done;
}

Scanned ChunkScan::read_trailer(std::string_view buffer) {
  const std::string_view visible = up_to(buffer, trailers_start_, bounds_->max_header_bytes);
  std::string_view line;
  Scanned progress = lines_.next(visible, line);
  if (!progress) return progress;
  if (*progress == Progress::done) return read_trailer_line(line);
  if (visible.size() - trailers_start_ < bounds_->max_header_bytes) return Progress::more;
  return refuse(431, fmt::format("trailers of more than {} bytes", bounds_->max_header_bytes));
}

Scanned ChunkScan::read_trailer_line(std::string_view line) {
  if (line.empty()) {
    phase_ = Phase::finished;
    return Progress::done;
  }
  const auto field = split_field(line);
  if (!field) return std::unexpected(field.error());
  if (is_body_framing(field->name)) return refuse(400, fmt::format("{} among the trailers", field->name));
  if (++trailers_ > bounds_->max_headers)
    return refuse(431, fmt::format("more than {} trailers", bounds_->max_headers));
  return Progress::done;
}

}  // namespace sluice::wire::http1
