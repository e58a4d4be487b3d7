#include "wire/http1/line_reader.h"

#include <fmt/format.h>

#include <expected>
#include <string_view>

#include "base/text.h"
#include "wire/http1/fault.h"
#include "wire/http1/syntax.h"

namespace sluice::wire::http1 {

Scanned LineReader::next(std::string_view bytes, std::string_view& line) {
  while (position_ < bytes.size() && is_text(bytes[position_])) ++position_;
  if (position_ == bytes.size()) return Progress::more;
  if (bytes[position_] != '\r') return std::unexpected(fault_at(bytes[position_]));
  if (position_ + 1 == bytes.size()) return Progress::more;
  if (bytes[position_ + 1] != '\n') return std::unexpected(fault_at('\r'));
  line = bytes.substr(start_, position_ - start_);
  go_to(position_ + 2);
  return Progress::done;
}

Fault LineReader::fault_at(char c) const {
  if (c == '\n') return {.status = 400, .message = fmt::format("a line of {} ends in a bare LF", part_)};
  if (c == '\r') return {.status = 400, .message = fmt::format("a line of {} holds a bare CR", part_)};
  return {.status = 400,
          .message = fmt::format("a line of {} holds the control byte {}", part_, printable({&c, 1}))};
}

}  // namespace sluice::wire::http1
