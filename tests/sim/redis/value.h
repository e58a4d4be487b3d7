// A reply of a simulated server before it is bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::sim {

enum class Resp : std::uint8_t { two = 2, three = 3 };

struct Value {
  enum class Kind : std::uint8_t { nil, nil_array, integer, bulk, status, error, array, map, number };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  double number = 0;
  std::string text{};          ///< of bulk, status, error ("WRONGTYPE Operation…", without the '-')
  std::vector<Value> items{};  ///< of array; of map: key, value, key, value

  [[nodiscard]] static Value of(std::int64_t integer) {
    Value value;
    value.kind = Kind::integer;
    value.integer = integer;
    return value;
  }
  [[nodiscard]] static Value bulk(std::string text) { return with(Kind::bulk, std::move(text)); }
  [[nodiscard]] static Value status(std::string text) { return with(Kind::status, std::move(text)); }
  [[nodiscard]] static Value error(std::string text) { return with(Kind::error, std::move(text)); }
  [[nodiscard]] static Value ok() { return status("OK"); }
  [[nodiscard]] static Value array(std::vector<Value> items) {
    Value value;
    value.kind = Kind::array;
    value.items = std::move(items);
    return value;
  }

  [[nodiscard]] bool is_error() const { return kind == Kind::error; }

 private:
  [[nodiscard]] static Value with(Kind kind, std::string text) {
    Value value;
    value.kind = kind;
    value.text = std::move(text);
    return value;
  }
};

/// Appends the value as the protocol has it. Line breaks in a status or an error become spaces, as in Redis.
void append(std::string& out, const Value& value, Resp version);

}  // namespace sluice::sim
