// RESP replies: values → bytes, in the version of the protocol that the connection speaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::wire::resp {

enum class Version : std::uint8_t { resp2 = 2, resp3 = 3 };

/// Appends to a buffer of the caller. Aggregates are announced with their length and then filled by that many
/// calls; what RESP2 lacks is written in its usual RESP2 form (map: flat array; null: null bulk; boolean: 0
/// or 1; double: bulk).
class ReplyWriter {
 public:
  ReplyWriter(std::string& out, Version version) : out_(out), version_(version) {}

  void simple(std::string_view text);  ///< "+OK"; CR and LF in `text` become spaces
  void error(std::string_view text);   ///< "-ERR …", text includes the code; CR and LF become spaces
  void integer(std::int64_t value);
  void bulk(std::string_view bytes);
  void boolean(bool value);
  void number(double value);
  void null();
  void array(std::size_t length);
  void map(std::size_t pairs);

 private:
  std::string& out_;
  Version version_;
};

}  // namespace sluice::wire::resp
