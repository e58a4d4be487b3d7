// The head of a response, checked as it arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "wire/http1/fault.h"
#include "wire/http1/head_lines.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {

/// How the end of a response's body is known.
struct ResponseFraming {
  enum class Kind : std::uint8_t { none, length, chunked, until_close };
  Kind kind = Kind::until_close;
  std::uint64_t length = 0;  ///< of `length`; may be beyond max_body_bytes
};

/// Finds where the head ends and what follows it. Interim responses (1xx), at most four, are passed over.
/// Bound: max_header_bytes, and max_headers fields, for each head.
class ResponseHeadScan {
 public:
  /// `bounds` must outlive the scan.
  explicit ResponseHeadScan(const HttpBounds& bounds) : lines_(bounds) {}

  /// `buffer` extends what was given before.
  [[nodiscard]] Scanned scan(std::string_view buffer);

  /// Of the final response: interim ones come before it.
  [[nodiscard]] std::size_t start() const { return lines_.start(); }
  /// After `done`: where the body begins.
  [[nodiscard]] std::size_t end() const { return lines_.end(); }
  /// After `done`.
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const ResponseFraming& framing() const { return framing_; }

 private:
  Scanned read_line(std::string_view line);
  Scanned read_status_line(std::string_view line);
  Scanned read_field(std::string_view line);
  std::expected<void, Fault> add_length(std::string_view value);
  Scanned finish();
  Scanned pass_interim();
  [[nodiscard]] std::expected<ResponseFraming, Fault> judge() const;

  HeadLines lines_;
  std::size_t interim_ = 0;
  int status_ = 0;  // 0 until the status line has come
  int minor_version_ = 1;
  std::optional<std::uint64_t> length_;  // the greatest number stands for all that do not fit
  bool encoded_ = false;
  bool chunked_ = false;
  ResponseFraming framing_;
};

}  // namespace sluice::wire::http1
