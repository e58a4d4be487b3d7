// The characters of RFC 9110 and 9112, read strictly.
#pragma once

#include <expected>
#include <string_view>

#include "wire/http1/fault.h"

namespace sluice::wire::http1 {

/// A space or a tab.
[[nodiscard]] bool is_blank(char c);

/// May stand inside a line: anything but the control bytes, tab excepted. Bytes ≥ 0x80 pass: values may be
/// UTF-8.
[[nodiscard]] bool is_text(char c);

/// A method, the name of a field, an option of Connection: one or more letters, digits and !#$%&'*+-.^_`|~.
[[nodiscard]] bool is_token(std::string_view text);

/// Without blanks at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// One line of the head or of the trailers.
struct FieldLine {
  std::string_view name;
  std::string_view value;  ///< trimmed
};

/// Splits "name: value", a line of is_text bytes. Refused with 400: a folded line, no name, no colon, white
/// space before the colon, and a name that is no token. Proxies are known to repair each of these in ways of
/// their own.
[[nodiscard]] std::expected<FieldLine, Fault> split_field(std::string_view line);

}  // namespace sluice::wire::http1
