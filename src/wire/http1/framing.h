// What the header fields say about the connection and about where the body ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "wire/http1/fault.h"

namespace sluice::wire::http1 {

struct Framing {
  bool chunked = false;
  std::size_t content_length = 0;  ///< of a body that is not chunked
  bool keep_alive = true;
  bool expects_continue = false;
};

/// Collects Content-Length, Transfer-Encoding, Host, Connection and Expect, and judges them together. Two
/// parsers that disagree about these disagree about where the next request begins, so here every doubt is a
/// refusal.
class FramingFields {
 public:
  /// Any field of the head, in order. Refuses what no other field could make right.
  [[nodiscard]] std::expected<void, Fault> add(std::string_view name, std::string_view value);

  /// After the last field. Malformed framing (400) is found before what is merely not wanted (501, 413, 417).
  [[nodiscard]] std::expected<Framing, Fault> judge(int minor_version, std::size_t max_body_bytes) const;

 private:
  std::expected<void, Fault> add_host();
  std::expected<void, Fault> add_length(std::string_view value);
  std::expected<void, Fault> add_encoding(std::string_view value);
  std::expected<void, Fault> add_connection(std::string_view value);

  bool host_ = false;
  std::optional<std::uint64_t> length_;  // the greatest number stands for all that do not fit
  bool encoded_ = false;
  bool chunked_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
  bool expects_other_ = false;
};

/// Content-Length and Transfer-Encoding: among trailers they would come too late.
[[nodiscard]] bool is_body_framing(std::string_view name);

/// The refusal of a body over its bound, wherever that is noticed.
[[nodiscard]] std::unexpected<Fault> refuse_body(std::size_t max_body_bytes);

}  // namespace sluice::wire::http1
