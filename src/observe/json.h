// Writes JSON, member after member, on one line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::observe {

/// Objects and arrays are begun and ended by the caller, in pairs. In an object each value has a name; in an
/// array the name is left empty. Texts may hold any bytes: what is not printable ASCII becomes \xNN.
class JsonWriter {
 public:
  /// `out` must outlive it.
  explicit JsonWriter(std::string& out) : out_(out) {}

  void begin_object(std::string_view name = {});
  void end_object();
  void begin_array(std::string_view name = {});
  void end_array();

  void text(std::string_view name, std::string_view value);
  void number(std::string_view name, std::uint64_t value);
  void number(std::string_view name, std::int64_t value);
  /// Of what is no number: null.
  void number(std::string_view name, double value);
  void boolean(std::string_view name, bool value);
  void null(std::string_view name);
  /// `json` is a whole value.
  void raw(std::string_view name, std::string_view json);

  /// Nothing becomes null.
  void text_or_null(std::string_view name, const std::optional<std::string>& value);
  template <class Number>
  void number_or_null(std::string_view name, const std::optional<Number>& value) {
    if (value) {
      number(name, *value);
    } else {
      null(name);
    }
  }

 private:
  void begin_value(std::string_view name);

  std::string& out_;
  bool first_ = true;  ///< nothing has been written yet of what was begun last
};

}  // namespace sluice::observe
