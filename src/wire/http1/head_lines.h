// The lines of a head, within its bounds: what requests and responses have in common.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

#include "wire/http1/fault.h"
#include "wire/http1/line_reader.h"
#include "wire/http1/request_parser.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {

/// Bound: looks at no byte beyond max_header_bytes of the head, and at each once; and at max_headers fields.
class HeadLines {
 public:
  /// `bounds` must outlive the lines.
  explicit HeadLines(const HttpBounds& bounds) : bounds_(&bounds) {}

  /// `line` is the next one when it is `done`. `buffer` extends what was given before. Refused with 431 when
  /// the head is too long.
  [[nodiscard]] Scanned next(std::string_view buffer, std::string_view& line);

  /// `line` is a field, and counts as one. Refused with 431 when there are too many.
  [[nodiscard]] std::expected<FieldLine, Fault> field(std::string_view line);

  /// What was read so far is not the head: it begins with the next line.
  void begin_anew();

  [[nodiscard]] const HttpBounds& bounds() const { return *bounds_; }
  /// Of the head.
  [[nodiscard]] std::size_t start() const { return start_; }
  /// Of the lines read so far.
  [[nodiscard]] std::size_t end() const { return lines_.start(); }

 private:
  const HttpBounds* bounds_;
  LineReader lines_{"the head"};
  std::size_t start_ = 0;
  std::size_t fields_ = 0;
};

}  // namespace sluice::wire::http1
