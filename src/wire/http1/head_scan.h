// The head of a request, checked as it arrives.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

#include "wire/http1/fault.h"
#include "wire/http1/framing.h"
#include "wire/http1/head_lines.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {

/// Finds where the head ends and what follows it, and refuses what request_parser.h says is refused. Bound:
/// looks at no byte beyond max_header_bytes of the head, and at each once.
class HeadScan {
 public:
  /// `bounds` must outlive the scan.
  explicit HeadScan(const HttpBounds& bounds) : lines_(bounds) {}

  /// `buffer` extends what was given before.
  [[nodiscard]] Scanned scan(std::string_view buffer);

  /// Of the request line: the empty lines that some clients send after a body come before it.
  [[nodiscard]] std::size_t start() const { return lines_.start(); }
  /// After `done`: where the body begins.
  [[nodiscard]] std::size_t end() const { return lines_.end(); }
  /// After `done`.
  [[nodiscard]] const Framing& framing() const { return framing_; }

 private:
  Scanned read_line(std::string_view line);
  Scanned skip_empty_line();
  Scanned read_request_line(std::string_view line);
  Scanned read_field(std::string_view line);
  Scanned finish();

  HeadLines lines_;
  std::size_t empty_lines_ = 0;
  bool has_request_line_ = false;
  int minor_version_ = 1;
  FramingFields fields_;
  Framing framing_;
};

}  // namespace sluice::wire::http1
