// HTTP/1.1 requests: bytes → requests. No sockets; resumes at any byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace sluice::wire::http1 {

struct HttpBounds {
  std::size_t max_header_bytes = 16UL * 1024;  ///< request line and header fields together: 431 beyond
  std::size_t max_headers = 100;               ///< 431 beyond
  std::size_t max_body_bytes = 256UL * 1024;   ///< decoded: 413 beyond, refused on the announced length
};

struct Header {
  std::string_view name;   ///< as sent
  std::string_view value;  ///< without surrounding white space
};

/// A whole request. Views live until the next call to parse().
struct Request {
  std::string_view method;      ///< "GET"; case matters
  std::string_view target;      ///< as sent, origin form: "/v1/check?user=1"
  std::vector<Header> headers;  ///< in order, repeated ones repeated
  std::string_view body;        ///< chunks decoded
  bool keep_alive = true;       ///< by version and Connection
  int minor_version = 1;        ///< HTTP/1.0 or 1.1

  /// The only value under `name` (case-insensitive); empty when it is absent or repeated.
  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// All values under `name`, in order.
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
};

enum class ParseStatus : std::uint8_t {
  complete,        ///< a request is in `request`; drop `consumed` bytes
  incomplete,      ///< give the same bytes and more
  wants_continue,  ///< as incomplete, and the client waits for "100 Continue": send it; said once a request
  malformed,       ///< answer status() and message(), then close: the stream cannot be trusted further
};

/// Strict on everything that two parsers might read differently, since a proxy stands in front: bare LF or
/// CR, NUL and other control bytes in the head, obs-fold, white space before a colon, two Content-Lengths
/// (even equal ones), Content-Length with Transfer-Encoding, a Transfer-Encoding other than exactly "chunked"
/// (501), an HTTP/1.1 request without exactly one Host, absolute and authority forms of the target (400),
/// versions other than HTTP/1.0 and 1.1 (505), an Expect other than 100-continue (417). Chunk extensions and
/// trailers are read and dropped, within bounds. All this is checked as the bytes arrive. A request that has
/// arrived whole is then parsed by Boost.Beast, and refused (400) if that finds a fault or another end than
/// the checks did.
///
/// The outcome, message included, depends on the bytes alone and never on how they were cut into calls,
/// except that wants_continue is not said to a client whose body has come along with its head. A request
/// takes at most 3 × max_header_bytes + 6 × max_body_bytes + 7 bytes of the buffer: 6 for one, if each byte
/// of the body is a chunk.
class RequestParser {
 public:
  explicit RequestParser(const HttpBounds& bounds = {});
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// `buffer` starts where the last complete request ended, and otherwise extends what was given before (it
  /// may have moved in memory). Linear in the bytes given. `request` is written on `complete`, and of no use
  /// after `malformed`. After that only status() and message() may be called.
  [[nodiscard]] ParseStatus parse(std::string_view buffer, Request& request);
  [[nodiscard]] std::size_t consumed() const;      ///< after complete
  [[nodiscard]] int status() const;                ///< after malformed: 400, 413, 417, 431, 501, 505
  [[nodiscard]] std::string_view message() const;  ///< for the client: what is wrong

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::wire::http1
