// Reads a document of /v1/stats without trusting its shape.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/units.h"

namespace sluice::ctl {

/// The number at a JSON pointer ("/rates/denied"); nothing when there is none.
[[nodiscard]] Number number_at(const boost::json::value& value, std::string_view pointer);
/// The text there, made printable and cut after `max` characters; empty when there is none.
[[nodiscard]] std::string text_at(const boost::json::value& value, std::string_view pointer,
                                  std::size_t max = 200);
/// Whether `true` is there.
[[nodiscard]] bool true_at(const boost::json::value& value, std::string_view pointer);
/// The list there; an empty one when there is none.
[[nodiscard]] const boost::json::array& list_at(const boost::json::value& value, std::string_view pointer);
/// The numbers of a list; what is not one counts as 0.
[[nodiscard]] std::vector<double> numbers_at(const boost::json::value& value, std::string_view pointer);

}  // namespace sluice::ctl
