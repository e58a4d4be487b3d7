// Lines that end in CRLF, found as their bytes arrive.
#pragma once

#include <cstddef>
#include <string_view>

#include "wire/http1/fault.h"

namespace sluice::wire::http1 {

/// Looks at each byte once, however the bytes were cut into calls. Lines that some other parser might end
/// elsewhere are refused with 400: a bare LF, a bare CR, and NUL or another control byte inside a line.
class LineReader {
 public:
  /// `part` is where the lines are, for messages: "the head". It must outlive the reader.
  explicit LineReader(std::string_view part) : part_(part) {}

  /// `line` is the next line, without its CRLF, when it is `done`. `bytes` extends what was given before. A
  /// caller with a bound on lines gives no bytes beyond it.
  [[nodiscard]] Scanned next(std::string_view bytes, std::string_view& line);

  /// Where the next line begins, or the unfinished one began.
  [[nodiscard]] std::size_t start() const { return start_; }

  /// What lies before `position` isn't lines.
  void go_to(std::size_t position) { start_ = position_ = position; }

 private:
  [[nodiscard]] Fault fault_at(char c) const;

  std::string_view part_;
  std::size_t start_ = 0;
  std::size_t position_ = 0;  // of the first byte not looked at yet
};

}  // namespace sluice::wire::http1
