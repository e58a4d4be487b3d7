// A chunked body, checked as it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "wire/http1/fault.h"
#include "wire/http1/line_reader.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {

/// Finds where a chunked body ends, looking at each byte of framing once and at the data never. Bounds: the
/// decoded body by max_body_bytes (413, on the announced size of a chunk); extensions and leading zeros of
/// sizes by max_header_bytes, all chunks together (413); trailers by max_header_bytes and max_headers (431).
class ChunkScan {
 public:
  /// `bounds` must outlive the scan.
  explicit ChunkScan(const HttpBounds& bounds) : bounds_(&bounds) {}

  /// The body begins at `position` of the buffer.
  void begin(std::size_t position) { lines_.go_to(position); }

  /// `buffer` extends what was given before.
  [[nodiscard]] Scanned scan(std::string_view buffer);

  /// After `done`: where the next request begins.
  [[nodiscard]] std::size_t end() const { return lines_.start(); }

 private:
  enum class Phase : std::uint8_t { size, data, trailers, finished };

  // Each reads one thing and moves to the next phase, or finds it unfinished.
  Scanned step(std::string_view buffer);
  Scanned read_size(std::string_view buffer);
  Scanned read_size_line(std::string_view line);
  Scanned read_data(std::string_view buffer);
  Scanned read_trailer(std::string_view buffer);
  Scanned read_trailer_line(std::string_view line);

  const HttpBounds* bounds_;
  Phase phase_ = Phase::size;
  LineReader lines_{"the chunked body"};
  std::size_t data_end_ = 0;        // of the chunk under way
  std::size_t decoded_ = 0;         // bytes of data announced so far
  std::size_t dropped_ = 0;         // bytes of extensions and leading zeros so far
  std::size_t trailers_start_ = 0;  // once they are reached
  std::size_t trailers_ = 0;
};

}  // namespace sluice::wire::http1
