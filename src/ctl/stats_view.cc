#include "ctl/stats_view.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "ctl/units.h"

namespace sluice::ctl {
namespace {

namespace json = boost::json;

const json::value* find(const json::value& value, std::string_view pointer) {
  boost::system::error_code error;
  return value.find_pointer(pointer, error);
}

Number number_of(const json::value& value) {
  boost::system::error_code error;
  const auto number = value.to_number<double>(error);
  return error ? std::nullopt : Number(number);
}

}  // namespace

Number number_at(const json::value& value, std::string_view pointer) {
  const json::value* found = find(value, pointer);
  return found != nullptr ? number_of(*found) : std::nullopt;
}

std::string text_at(const json::value& value, std::string_view pointer, std::size_t max) {
  const json::value* found = find(value, pointer);
  const json::string* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? printable({text->data(), text->size()}, max) : std::string();
}

bool true_at(const json::value& value, std::string_view pointer) {
  const json::value* found = find(value, pointer);
  const bool* flag = found != nullptr ? found->if_bool() : nullptr;
  return flag != nullptr && *flag;
}

const json::array& list_at(const json::value& value, std::string_view pointer) {
  static const json::array empty;
  const json::value* found = find(value, pointer);
  const json::array* list = found != nullptr ? found->if_array() : nullptr;
  return list != nullptr ? *list : empty;
}

std::vector<double> numbers_at(const json::value& value, std::string_view pointer) {
  std::vector<double> out;
  for (const json::value& each : list_at(value, pointer)) out.push_back(number_of(each).value_or(0));
  return out;
}

}  // namespace sluice::ctl
