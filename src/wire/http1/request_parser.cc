// The scans (head_scan.h, chunk_scan.h) find where a request ends, as its bytes arrive; Boost.Beast then
// reads the whole request at once. So Beast (message_decoder.h) never sees an unfinished or
// unbounded message. A request on which the two readings do not agree is refused: a leniency of one alone
// smuggles nothing.
#include "wire/http1/request_parser.h"

#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/verb.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "wire/http1/bounds.h"
#include "wire/http1/chunk_scan.h"
#include "wire/http1/fault.h"
#include "wire/http1/head_scan.h"
#include "wire/http1/message_decoder.h"

namespace sluice::wire::http1 {
namespace {

/// Memory for decoded chunks that is kept from one request to the next; idle connections are many.
constexpr std::size_t kKeptBodyBytes = 4UL * 1024;

class Decoder final : public MessageDecoder<true, Request> {
 public:
  using MessageDecoder::MessageDecoder;

 private:
  void on_request_impl(boost::beast::http::verb /*known*/, boost::beast::string_view method,
                       boost::beast::string_view target, int version,
                       boost::beast::error_code& /*error*/) override {
    message().method = method;
    message().target = target;
    message().minor_version = version % 10;
  }
};

}  // namespace

struct RequestParser::State {
  explicit State(const HttpBounds& given) : bounds(tamed(given)) {}

  ParseStatus parse(std::string_view buffer, Request& request);
  Scanned find_end(std::string_view buffer, std::size_t& end);
  ParseStatus decode(std::string_view message, Request& request);
  ParseStatus fail(Fault what);
  void forget_message();

  const HttpBounds bounds;
  std::size_t seen = 0;  // bytes of the message under way
  HeadScan head{bounds};
  bool head_done = false;
  ChunkScan chunk_scan{bounds};
  std::string chunks;  // bound: max_body_bytes
  std::size_t consumed = 0;
  Fault fault;
};

ParseStatus RequestParser::State::parse(std::string_view buffer, Request& request) {
  SLUICE_ASSERT(fault.message.empty());
  SLUICE_ASSERT(buffer.size() >= seen);
  seen = buffer.size();
  if (chunks.capacity() > kKeptBodyBytes) {
    chunks.clear();
    chunks.shrink_to_fit();
  }
  const bool head_is_new = !head_done;
  std::size_t end = 0;
  auto progress = find_end(buffer, end);
  if (!progress) return fail(std::move(progress.error()));
  if (*progress == Progress::more) {
    // A client that has begun to send the body isn't waiting any more.
    const bool waits =
        head_is_new && head_done && head.framing().expects_continue && buffer.size() == head.end();
    return waits ? ParseStatus::wants_continue : ParseStatus::incomplete;
  }
  const ParseStatus status = decode(buffer.substr(head.start(), end - head.start()), request);
  if (status != ParseStatus::complete) return status;
  consumed = end;
  forget_message();
  return status;
}

/// `end` is set when all that is before it has arrived.
Scanned RequestParser::State::find_end(std::string_view buffer, std::size_t& end) {
  if (!head_done) {
    Scanned progress = head.scan(buffer);
    if (!progress || *progress == Progress::more) return progress;
    head_done = true;
    chunk_scan.begin(head.end());
  }
  if (head.framing().chunked) {
    Scanned progress = chunk_scan.scan(buffer);
    end = chunk_scan.end();
    return progress;
  }
  end = head.end() + head.framing().content_length;
  return buffer.size() < end ? Progress::more : Progress::done;
}

ParseStatus RequestParser::State::decode(std::string_view message, Request& request) {
  request.headers.clear();
  request.body = {};
  chunks.clear();
  Decoder decoder(request, chunks);
  if (auto unlike = decoder.read(message, BodyEnd::told, "request")) return fail(*std::move(unlike));
  request.keep_alive = head.framing().keep_alive;
  return ParseStatus::complete;
}

ParseStatus RequestParser::State::fail(Fault what) {
  fault = std::move(what);
  return ParseStatus::malformed;
}

void RequestParser::State::forget_message() {
  seen = 0;
  head = HeadScan(bounds);
  head_done = false;
  chunk_scan = ChunkScan(bounds);
}

RequestParser::RequestParser(const HttpBounds& bounds) : state_(std::make_unique<State>(bounds)) {}

RequestParser::~RequestParser() = default;

ParseStatus RequestParser::parse(std::string_view buffer, Request& request) {
  return state_->parse(buffer, request);
}

std::size_t RequestParser::consumed() const {
  return state_->consumed;
}

int RequestParser::status() const {
  return state_->fault.status;
}

std::string_view RequestParser::message() const {
  return state_->fault.message;
}

}  // namespace sluice::wire::http1
