// Request of request_parser.h.
#include <string_view>
#include <vector>

#include "base/text.h"
#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {

std::string_view Request::header(std::string_view name) const {
  std::string_view value;
  bool found = false;
  for (const Header& header : headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    if (found) return {};
    found = true;
    value = header.value;
  }
  return value;
}

std::vector<std::string_view> Request::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Header& header : headers) {
    if (equals_ignoring_case(header.name, name)) values.push_back(header.value);
  }
  return values;
}

}  // namespace sluice::wire::http1
