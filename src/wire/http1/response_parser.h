// HTTP/1.1 responses: bytes → responses. No sockets; resumes at any byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "wire/http1/request_parser.h"

namespace sluice::wire::http1 {

/// A whole response. Views live until the next call into the parser.
struct ReceivedResponse {
  int status = 0;               ///< 200 … 599
  std::vector<Header> headers;  ///< in order, repeated ones repeated
  std::string_view body;        ///< chunks decoded
};

enum class ResponseStatus : std::uint8_t {
  complete,    ///< a response is in `response`; drop `consumed` bytes
  incomplete,  ///< give the same bytes and more, or say that there are none
  malformed,   ///< message() says why; close: the stream cannot be trusted further
};

/// For requests other than HEAD and CONNECT. Strict where parsers are known to differ, as RequestParser is:
/// bare LF or CR, control bytes in the head, obs-fold, two Content-Lengths, Content-Length with
/// Transfer-Encoding, a Transfer-Encoding other than exactly "chunked". Up to four interim responses (1xx)
/// are passed over; 101, which nobody asks for, is refused. All this is checked as the bytes arrive; the
/// whole response is then parsed by Boost.Beast, and refused if that finds a fault or another end than the
/// checks did.
///
/// The outcome, message included, depends on the bytes alone and never on how they were cut into calls. A
/// response takes at most 7 × max_header_bytes + 6 × max_body_bytes + 7 bytes of the buffer: 5 heads, and 6
/// for one if each byte of the body is a chunk.
class ResponseParser {
 public:
  explicit ResponseParser(const HttpBounds& bounds = {});
  ~ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;

  /// `buffer` starts where the last complete response ended, and otherwise extends what was given before (it
  /// may have moved in memory). Linear in the bytes given. After `malformed` only message() and status() may
  /// be called.
  [[nodiscard]] ResponseStatus parse(std::string_view buffer, ReceivedResponse& response);

  /// Instead of parse(), when the peer has closed after `buffer`: a body without a length ends here, anything
  /// else unfinished is malformed. Never `incomplete`.
  [[nodiscard]] ResponseStatus end(std::string_view buffer, ReceivedResponse& response);

  [[nodiscard]] std::size_t consumed() const;  ///< after complete
  /// Of the response under way, or refused, once its head is known to be in order; 0 before. What comes of
  /// the body does not change it.
  [[nodiscard]] int status() const;
  [[nodiscard]] std::string_view message() const;  ///< after malformed: what is wrong, one printable line

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::wire::http1
